/** Codes of vectors in memory, by owner and model: 48 bytes for a vector of 384 dimensions. Finds candidates without reading vectors. */
import { codeLength, findNearest, writeCode } from '../domain/vector-codes.js'
import type { Database } from './database.js'

/** Memory that all codes together may take. The owners asked for least recently are forgotten first. */
const MAX_BYTES = 512 * 1024 * 1024

type Range = { first: number, last: number }
/** `ids` and `codes` have room for more than `count`. `readTo`: the last id that was looked at. */
type Codes = { ids: Float64Array, codes: Uint32Array, count: number, readTo: number }

const keyOf = (first: number, model: string): string => `${first} ${model}`
const bytesOf = ({ ids, codes }: Codes): number => ids.byteLength + codes.byteLength

function withRoom ({ ids, codes, ...rest }: Codes, length: number): Codes {
  if (rest.count < ids.length) return { ids, codes, ...rest }
  const room = Math.max(256, 2 * ids.length)
  const more = { ids: new Float64Array(room), codes: new Uint32Array(room * length), ...rest }
  more.ids.set(ids)
  more.codes.set(codes)
  return more
}

/** As `nearestCodes` of the addon: indexes of the codes nearest to `code` among the first `count`. */
export type CodeScan = (codes: Uint32Array, count: number, code: Uint32Array, wanted: number) => Uint32Array

const scanInJavaScript: CodeScan = (words, count, code, wanted) => findNearest({ words, length: code.length, count }, code, wanted)

export function createVectorCache (db: Database, scan: CodeScan = scanInJavaScript) {
  const cached = new Map<string, Codes>()
  // Ids are never used again, so passages with higher ids are all that is new.
  const added = db.prepare<Range & { model: string }, { id: number, vector: Buffer }>(`
    SELECT v.passage_id AS id, v.vector
    FROM passage_vector v JOIN embedding_model m ON m.id = v.model_id
    WHERE v.passage_id > :first AND v.passage_id <= :last AND m.name = :model
    ORDER BY v.passage_id
  `)
  const dimensions = db.prepare<{ model: string }, { dimensions: number }>('SELECT dimensions FROM embedding_model WHERE name = :model')

  function forget (): void {
    let bytes = [...cached.values()].reduce((sum, codes) => sum + bytesOf(codes), 0)
    for (const [key, codes] of cached) {
      if (bytes <= MAX_BYTES || cached.size === 1) return
      cached.delete(key)
      bytes -= bytesOf(codes)
    }
  }

  /** The codes of an owner's passages, brought up to date. */
  function codesOf ({ first, last }: Range, model: string, length: number): Codes {
    const key = keyOf(first, model)
    let codes = cached.get(key) ?? { ids: new Float64Array(0), codes: new Uint32Array(0), count: 0, readTo: first }
    cached.delete(key)
    for (const { id, vector } of added.iterate({ first: codes.readTo, last, model })) {
      codes = withRoom(codes, length)
      codes.ids[codes.count] = id
      writeCode(new Int8Array(vector.buffer, vector.byteOffset, vector.length), codes.codes, codes.count * length)
      codes.count++
      codes.readTo = id
    }
    cached.set(key, codes)
    forget()
    return codes
  }

  /** The part of the codes that belongs to these passages. Both are in ascending order. */
  function select ({ ids, codes, count, readTo }: Codes, wanted: readonly number[], length: number): Codes {
    const some: Codes = { ids: new Float64Array(wanted.length), codes: new Uint32Array(wanted.length * length), count: 0, readTo }
    let at = 0
    for (const id of wanted) {
      while (at < count && (ids[at] ?? 0) < id) at++
      if (ids[at] !== id || at >= count) continue
      some.ids[some.count] = id
      some.codes.set(codes.subarray(at * length, (at + 1) * length), some.count * length)
      some.count++
    }
    return some
  }

  return {
    /** Reads the codes of an owner from the database at the next search: too many of them belong to passages that are gone. */
    drop: ({ first }: Range, model: string): void => { cached.delete(keyOf(first, model)) },
    /**
     * Ids of passages whose codes are nearest to that of the query, about `wanted` of them, in no order. Passages that were removed may be
     * among them. `only`: ids in ascending order, if not all passages count.
     */
    findNearest (range: Range, model: string, query: Float32Array, wanted: number, only?: readonly number[]): number[] {
      const known = dimensions.get({ model })?.dimensions
      if (known === undefined || known !== query.length) return []
      const length = codeLength(known)
      const all = codesOf(range, model, length)
      const { ids, codes, count } = only ? select(all, only, length) : all
      const code = new Uint32Array(length)
      writeCode(query, code, 0)
      return Array.from(scan(codes, count, code, wanted), (index) => ids[index] ?? 0)
    }
  }
}
