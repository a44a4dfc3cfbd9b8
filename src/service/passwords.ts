/** Password hashes: slow and memory-hard on purpose, so that a stolen database does not reveal passwords. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { AppError } from '../domain/errors.js'

type Cost = { log2N: number, r: number, p: number }

/** As strong as OWASP's first choice (N = 2^17, p = 1) but with 32 MiB instead of 128, because small boxes transcribe at the same time. */
const COST: Cost = { log2N: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** More at once would take memory and threads from transcription; a longer queue than this is an attack. */
const AT_ONCE = 2
const IN_LINE = 32

function derive (password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** log2N
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r }
  return new Promise((resolve, reject) => {
    // Normalise accented letters: keyboards send different forms.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => { if (error) reject(error); else resolve(key) })
  })
}

function encode ({ log2N, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function decode (text: string): { cost: Cost, salt: Buffer, hash: Buffer } {
  const [scheme, log2N, r, p, salt = '', hash = ''] = text.split('$')
  if (scheme !== 'scrypt') throw new Error('the password hash has an unknown scheme')
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url')
  }
}

function tooBusy (): AppError {
  return new AppError('unavailable', 'Too many people are logging in at once. Try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
}

/** Runs `AT_ONCE` at a time. Throws `unavailable` when the queue is full. */
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
      // Hand the place on, so that no newcomer takes it first.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export function createPasswords (cost: Cost = COST) {
  const pass = createGate()
  /** Compared with when there is no stored hash, so that the time reveals nothing. */
  const decoy = encode(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))

  return {
    /** Hashes a password: scheme, cost, salt and hash in one string. Throws `unavailable` when the queue is full. */
    async hash (password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES)
      return encode(cost, salt, await pass(async () => await derive(password, salt, cost)))
    },
    /** Compares a password with its hash. Without a hash: false, after the same time. Throws `unavailable` when the queue is full. */
    async verify (stored: string | undefined, password: string): Promise<boolean> {
      const { cost, salt, hash } = decode(stored ?? decoy)
      return timingSafeEqual(hash, await pass(async () => await derive(password, salt, cost)))
    }
  }
}
export type Passwords = ReturnType<typeof createPasswords>
