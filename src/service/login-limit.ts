/** Limits password attempts, per network and in total. Kept in memory: a few hundred entries at most. */
import { AppError } from '../domain/errors.js'

const WINDOW_MS = 15 * 60_000
const PER_NETWORK = 5
/** Only many networks together can reach this: each one is stopped long before. */
const IN_TOTAL = 100
/** Networks that logged in before are not blocked by the attempts of others. This many are remembered. */
const REMEMBERED = 16

/** The account of an owner, for `attempt`. The prefix keeps it apart from other accounts, whose names owners may have too. */
export const ownerNamed = (name: string): string => `owner ${name}`

/** The network of one subscriber: an IPv4 address, or the /64 of an IPv6 address, within which new addresses are free. */
export function networkOf (address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const [before, after] = [head, tail ?? ''].map((side) => side === '' ? [] : side.split(':')) as [string[], string[]]
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(':') + '::/64'
}

function tooMany (waitMs: number): AppError {
  const minutes = Math.ceil(waitMs / 60_000)
  return new AppError('too_many_attempts', `Too many wrong passwords. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`, {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) }
  })
}

/** While attempts are under way. They may prove right, so the wait is short. */
function tooManyAtOnce (): AppError {
  return new AppError('too_many_attempts', 'Too many passwords are being compared at once. Try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
}

export function createLoginLimit ({ now }: { now: () => number }) {
  type Attempt = { network: string, account: string, at: number, isUnderWay: boolean }
  let attempts: Attempt[] = []
  const known = new Set<string>()

  /** Throws `too_many_attempts` unless the network may try now. */
  function requireAttempt (network: string): void {
    const own = attempts.filter((attempt) => attempt.network === network)
    const isOwn = own.length >= PER_NETWORK
    if (!isOwn && (known.has(network) || attempts.length < IN_TOTAL)) return
    const counted = isOwn ? own.slice(-PER_NETWORK) : attempts.slice(-IN_TOTAL)
    if (counted.some(({ isUnderWay }) => isUnderWay)) throw tooManyAtOnce()
    throw tooMany((counted[0]?.at ?? now()) + WINDOW_MS - now())
  }

  function remember (network: string): void {
    known.delete(network)
    known.add(network)
    const [oldest] = known
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
  }

  return {
    /**
     * Runs `check`, unless too many attempts were wrong lately. An attempt counts from its start until it proves right, so concurrent
     * attempts do not get around the limit. A right password clears only the attempts for the same account: otherwise an owner could use
     * their own password to guess at others'. `account`: what the password is for. Throws `too_many_attempts`.
     */
    async attempt (address: string, account: string, check: () => Promise<boolean>): Promise<boolean> {
      const network = networkOf(address)
      // Drop attempts in the future too: after the clock was set back they would lock out for that long.
      attempts = attempts.filter(({ at }) => at <= now() && at + WINDOW_MS > now())
      requireAttempt(network)
      const attempt: Attempt = { network, account, at: now(), isUnderWay: true }
      attempts.push(attempt)
      const isRight = await check().catch((error: unknown) => {
        attempts = attempts.filter((other) => other !== attempt)
        throw error
      })
      attempt.isUnderWay = false
      if (!isRight) return false
      attempts = attempts.filter((other) => other.network !== network || other.account !== account)
      remember(network)
      return true
    }
  }
}
export type LoginLimit = ReturnType<typeof createLoginLimit>
