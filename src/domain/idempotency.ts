/** Rules for requests with an Idempotency-Key: which requests count as the same, and which answers are stored. */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** How long an answer is stored. */
export const ANSWER_TTL_MS = 24 * 60 * 60 * 1000

/** Replies of one caller that are stored; beyond them the oldest go first. The reply to a large upload has 100 kB. */
export const MAX_ANSWERS = 2000

export type IdempotentRequest = {
  /** The caller. The same key from two callers means two requests. */
  scope: string
  operationId: string
  key: string
  /** The whole request: path, query and body. */
  content: unknown
}

/** The right to carry out a request. Only the latest `attempt` may store the answer. */
export type RequestClaim = { id: Buffer, attempt: number }

export type Answer = { status: number, contentType: string, body: string }

/** The id a request is stored under: a hash, so that the key cannot be read from it. */
export function requestId ({ scope, operationId, key }: IdempotentRequest): Buffer {
  return createHash('sha256').update(JSON.stringify([scope, operationId, key])).digest()
}

/** JSON with sorted field names, so that equal values give equal text. */
function canonical (value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => part !== null && typeof part === 'object' && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
    : part)
}

/** Equal for requests with equal content. An HMAC with the key: a plain hash would let anyone guess short secrets in the body. */
export function fingerprint ({ key, content }: IdempotentRequest): Buffer {
  return createHmac('sha256', key).update(canonical(content)).digest()
}

/**
 * True for answers that are stored. Refusals and our own errors are not: nothing was carried out that must not be carried out twice, and
 * the request may succeed when the plan, the transcription or the disk has changed.
 */
export const isFinal = (status: number): boolean => status < 400

const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16
const TAG_AT = SALT_BYTES + IV_BYTES
const TEXT_AT = TAG_AT + TAG_BYTES

function sealingKey (key: string, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, 'stenobox idempotent answer', 32))
}

/** Encrypts an answer (AES-256-GCM) so that only the holder of the key can read it: some answers hold secrets that are shown once. */
export function seal (key: string, answer: Uint8Array): Buffer {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key, salt), iv)
  const sealed = Buffer.concat([cipher.update(answer), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed])
}

/** Decrypts a sealed answer. Throws when the key differs or the text was changed. */
export function unseal (key: string, sealed: Buffer): Buffer {
  const salt = sealed.subarray(0, SALT_BYTES)
  const iv = sealed.subarray(SALT_BYTES, TAG_AT)
  const tag = sealed.subarray(TAG_AT, TEXT_AT)
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(key, salt), iv).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(TEXT_AT)), decipher.final()])
}
