/** JSON in less space: the reply with the addresses of a thousand parts shrinks to a twentieth, and is written to disk twice. */
import { constants, deflateSync, inflateSync } from 'node:zlib'

/** Less than a page of the database is saved below this. */
const MIN_BYTES = 4096
/** The first byte of what `deflate` makes. No JSON text begins with it. */
const DEFLATED = 0x78

/** Bytes for a value of JSON. */
export function packJson (value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value))
  return bytes.length < MIN_BYTES ? bytes : deflateSync(bytes, { level: constants.Z_BEST_SPEED })
}

/** The value. Throws what zlib and JSON say of other bytes. */
export function unpackJson (bytes: Uint8Array): unknown {
  return JSON.parse((bytes[0] === DEFLATED ? inflateSync(bytes) : Buffer.from(bytes)).toString()) as unknown
}
