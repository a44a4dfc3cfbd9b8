/** Rules of requests that carry an Idempotency-Key: what is the same request, which answers are kept, and how. */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** How long an answer is kept. */
export const ANSWER_TTL_MS = 24 * 60 * 60 * 1000

export type IdempotentRequest = {
  /** Who asks: keys of different callers have nothing to do with each other. */
  scope: string
  operationId: string
  key: string
  /** All that was asked: path, query, body. */
  content: unknown
}

export type Answer = { status: number, contentType: string, body: string }

/** Under which a request is stored; nobody finds the key in it. */
export function requestId ({ scope, operationId, key }: IdempotentRequest): Buffer {
  return createHash('sha256').update(JSON.stringify([scope, operationId, key])).digest()
}

/** JSON with the fields of every object in one order, so that what means the same reads the same. */
function canonical (value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => part !== null && typeof part === 'object' && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
    : part)
}

/** Equal for requests that ask the same. HMAC with the key: a plain hash would tell short secrets of a body to whoever tries them all. */
export function fingerprint ({ key, content }: IdempotentRequest): Buffer {
  return createHmac('sha256', key).update(canonical(content)).digest()
}

/** Statuses of states of the moment: what was sent does not fit together yet, something is missing, something is used up. */
const PASSING: readonly number[] = [400, 409, 429]

/** True for answers that settle the request. The others, and faults of ours, are not kept: the same request may do better later. */
export function isFinal (status: number): boolean {
  return status < 500 && !PASSING.includes(status)
}

const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16
const TAG_AT = SALT_BYTES + IV_BYTES
const TEXT_AT = TAG_AT + TAG_BYTES

function sealingKey (key: string, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, 'stenobox idempotent answer', 32))
}

/** An answer that only the holder of the key can read again: some hold secrets that are shown once (AES-256-GCM). */
export function sealAnswer (key: string, answer: Answer): Buffer {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key, salt), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed])
}

/** The answer again. Throws when it was sealed with another key, or changed since. */
export function openAnswer (key: string, sealed: Buffer): Answer {
  const salt = sealed.subarray(0, SALT_BYTES)
  const iv = sealed.subarray(SALT_BYTES, TAG_AT)
  const tag = sealed.subarray(TAG_AT, TEXT_AT)
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(key, salt), iv).setAuthTag(tag)
  const text = Buffer.concat([decipher.update(sealed.subarray(TEXT_AT)), decipher.final()]).toString()
  return JSON.parse(text) as Answer
}
