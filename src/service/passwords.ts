/** Passwords: slow and large to compute on purpose, so that a stolen database does not give them away. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { AppError } from '../domain/errors.js'

type Cost = { log2N: number, r: number, p: number }

/** As strong as OWASP's first choice (N = 2^17, p = 1), in 32 MiB instead of 128: small boxes transcribe beside it. */
const COST: Cost = { log2N: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** More at once would take memory and threads from the work; more in line than this is an attack, or hopeless. */
const AT_ONCE = 2
const IN_LINE = 32

function derive (password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r }
  return new Promise((resolve, reject) => {
    // One spelling of letters with marks, whichever the keyboard sends.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => { if (error) reject(error); else resolve(key) })
  })
}

function encode ({ log2N, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function decode (text: string): { cost: Cost, salt: Buffer, hash: Buffer } {
  const [scheme, log2N, r, p, salt = '', hash = ''] = text.split('$')
  if (scheme !== 'scrypt') throw new Error('a password hash of an unknown scheme')
  return { cost: { log2N: Number(log2N), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}

function tooBusy (): AppError {
  return new AppError('unavailable', 'Too many people are logging in at once. Try again in a few seconds.', { headers: { 'retry-after': '5' } })
}

/** Lets few run at once. Throws `unavailable` when the line is too long. */
function createGate () {
  let running = 0
  const waiting: Array<() => void> = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < AT_ONCE) running++
    else {
      if (waiting.length >= IN_LINE) throw tooBusy()
      await new Promise<void>((resolve) => { waiting.push(resolve) })
    }
    try {
      return await work()
    } finally {
      // The place is handed on, so nobody can slip in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export function createPasswords (cost: Cost = COST) {
  const pass = createGate()
  /** Compared with where there is no password, so that the time tells nothing. */
  const decoy = encode(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))

  return {
    /** What is stored of a password: scheme, cost, salt and hash in one string. Throws `unavailable` when too many wait. */
    async hash (password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES)
      return encode(cost, salt, await pass(async () => await derive(password, salt, cost)))
    },
    /** False, and as slow, where there is no stored one. Throws `unavailable` when too many wait. */
    async verify (stored: string | undefined, password: string): Promise<boolean> {
      const { cost, salt, hash } = decode(stored ?? decoy)
      return timingSafeEqual(hash, await pass(async () => await derive(password, salt, cost)))
    }
  }
}
export type Passwords = ReturnType<typeof createPasswords>
