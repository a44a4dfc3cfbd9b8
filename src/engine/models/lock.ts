/** Pins: the digests of each model's file when it was first fetched and verified. Later files must be identical. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { errorCode } from '../../domain/errors.js'
import { ModelError } from '../../domain/model-error.js'
import { writeDurably } from './files.js'
import type { FileFacts } from './files.js'

const LOCK_FILE = 'models.lock.json'

const Pin = Type.Object({
  file: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Where it came from: a URL without secrets, or a few words. */
  source: Type.String(),
  pinnedAt: Type.String()
}, { additionalProperties: false })
export type Pin = Static<typeof Pin>

const Lock = Type.Object({
  version: Type.Literal(1),
  models: Type.Record(Type.String(), Pin)
}, { additionalProperties: false })

/** What a file must match before it is trusted. */
type Form = { bytes: number, sha256: string }
type Expectation = { name: string, file: string, bytes?: number, sha256?: string, sha1?: string, forms?: readonly Form[] }

/** All SHA-256 digests that the manifest accepts. */
export const acceptedBy = ({ sha256, forms = [] }: Expectation): string[] =>
  [...(sha256 === undefined ? [] : [sha256]), ...forms.map((form) => form.sha256)]

/** A pin counts only if the manifest has no SHA-256 of the published file (the manifest may be newer) and does not know the pinned form. */
export const isBinding = (entry: Expectation, pin: Pin | undefined): pin is Pin =>
  pin !== undefined && entry.sha256 === undefined && !acceptedBy(entry).includes(pin.sha256)

/** True when a file of this size may be the model. */
export const fitsSize = ({ bytes, forms = [] }: Expectation, size: number): boolean =>
  bytes === undefined || size === bytes || forms.some((form) => form.bytes === size)

/** True when a checksum is known: the file must then be read before it is used. */
export const isKnown = (entry: Expectation, pin: Pin | undefined): boolean =>
  entry.sha1 !== undefined || acceptedBy(entry).length > 0 || isBinding(entry, pin)

/** Why the file does not match its entry; undefined when it does, or when no checksum is known. */
export function findFault (entry: Expectation, pin: Pin | undefined, facts: FileFacts): string | undefined {
  if (acceptedBy(entry).includes(facts.sha256)) return undefined
  if (entry.bytes !== undefined && facts.bytes !== entry.bytes) {
    return `${entry.file} has ${facts.bytes} bytes and not ${entry.bytes}: it is damaged or a different file`
  }
  const isWrong = entry.sha256 === undefined && entry.sha1 !== undefined ? entry.sha1 !== facts.sha1 : acceptedBy(entry).length > 0
  if (isWrong) return `${entry.file} does not match its published checksum: it is damaged or a different file`
  if (!isBinding(entry, pin) || pin.sha256 === facts.sha256) return undefined
  return `${entry.file} is not the file that was pinned on ${pin.pinnedAt.slice(0, 10)} in ${LOCK_FILE}: ` +
    `it is damaged or a different file; \`stenobox models remove ${entry.name}\` forgets the pin`
}

function readPins (path: string): Record<string, Pin> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw error
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (Value.Check(Lock, parsed)) return parsed.models
  } catch {
    // Reported below, like JSON that is not a lock file.
  }
  throw new ModelError(`${path} is damaged; restore it from a backup, or delete it and lose its pins`)
}

/** The lock file of one models directory. It is read every time, because other processes write it too. */
export function createModelLock (modelsDir: string) {
  const path = join(modelsDir, LOCK_FILE)
  const save = async (pins: Record<string, Pin>): Promise<void> => {
    const models = Object.fromEntries(Object.entries(pins).sort(([a], [b]) => a < b ? -1 : 1))
    await writeDurably(path, [Buffer.from(JSON.stringify({ version: 1, models }, null, 2) + '\n')])
  }
  return {
    /** The pin of a model; pins of a different file under the same name do not count. */
    find (entry: Expectation): Pin | undefined {
      const pins = readPins(path)
      const pin = Object.hasOwn(pins, entry.name) ? pins[entry.name] : undefined
      return pin?.file === entry.file ? pin : undefined
    },
    put: async (pins: Readonly<Record<string, Pin>>): Promise<void> => { await save({ ...readPins(path), ...pins }) },
    async remove (name: string): Promise<boolean> {
      const { [name]: gone, ...rest } = readPins(path)
      if (gone) await save(rest)
      return gone !== undefined
    }
  }
}
export type ModelLock = ReturnType<typeof createModelLock>
