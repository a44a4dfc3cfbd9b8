/**
 * Finds the addresses of names with requests that can be cancelled. Node's `dns.lookup` holds one of a few threads until the name service
 * answers, even after nobody waits for it: a handful of names that never answer would stop every lookup of the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { lookup as lookUpBySystem, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

export type ResolvedAddress = { address: string, family: number }
/** All addresses of a name. Throws an Error with a code of the system such as ENOTFOUND. */
export type Lookup = (host: string) => Promise<ResolvedAddress[]>

/** One lookup, from the moment it has a place. */
const LOOKUP_MS = 8000
/** Lookups under way in the whole process. Each is a UDP socket, and none is a thread. */
const MAX_LOOKUPS = 64
/** Of these, for one owner. */
const MAX_SHARE = 8
/** Calls of one owner that wait for a place. */
const MAX_WAITING = 1000
const FAMILIES = [4, 6] as const

/** The code of a lookup that got no place in time. The name was not looked up. */
export const NO_PLACE = 'ENOPLACE'

/** The owner of the current request, and how its lookups wait for a place. */
type Caller = {
  share: string
  /** The longest wait of one lookup, in ms. */
  maxWaitMs?: number
  /** Called when a lookup begins to wait, and when it stops waiting. */
  onWait?: (isWaiting: boolean) => void
}

/** Lookups happen inside undici, which passes no context to them. */
const callers = new AsyncLocalStorage<Caller>()
/** Runs `work` so that its lookups count for `share`: an owner, or a purpose. */
export const withShare = async <T>(share: string, work: () => Promise<T>, waits: Omit<Caller, 'share'> = {}): Promise<T> =>
  await callers.run({ share, ...waits }, work)

const failure = (code: string): Error => Object.assign(new Error(`lookup failed: ${code}`), { code })

/** Places that are given by share: the share that holds fewest is next, and of its waiting calls the first. */
export function createPlaces (maxPlaces: number, maxShare: number) {
  const held = new Map<string, number>()
  type Waiting = { share: string, start: () => void }
  const waiting: Waiting[] = []
  const heldBy = (share: string): number => held.get(share) ?? 0
  const heldByAll = (): number => [...held.values()].reduce((sum, count) => sum + count, 0)
  const isFree = (share: string): boolean => heldBy(share) < maxShare && heldByAll() < maxPlaces
  const take = (share: string): void => { held.set(share, heldBy(share) + 1) }

  function release (share: string): void {
    if (heldBy(share) > 1) held.set(share, heldBy(share) - 1)
    else held.delete(share)
    const [next] = waiting.filter((one) => isFree(one.share)).sort((a, b) => heldBy(a.share) - heldBy(b.share))
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    take(next.share)
    next.start()
  }

  async function wait ({ share, maxWaitMs = Infinity, onWait }: Caller): Promise<void> {
    if (waiting.filter((one) => one.share === share).length >= MAX_WAITING) throw failure(NO_PLACE)
    onWait?.(true)
    let timer: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const entry: Waiting = { share, start: resolve }
        waiting.push(entry)
        if (maxWaitMs === Infinity) return
        timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1)
          reject(failure(NO_PLACE))
        }, maxWaitMs)
      })
    } finally {
      clearTimeout(timer)
      onWait?.(false)
    }
  }

  /** Runs `work` when there is a place for the caller. Throws an Error with `NO_PLACE` when too many wait, or this one for too long. */
  return async function run<T> (caller: Caller, work: () => Promise<T>): Promise<T> {
    const { share } = caller
    if (isFree(share)) take(share)
    else await wait(caller)
    try {
      return await work()
    } finally {
      release(share)
    }
  }
}

const readLines = async (path: string): Promise<string[][]> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').map((line) => line.replace(/[#;].*/, '').trim().split(/\s+/))
}

/** Addresses of a name in the hosts file. Those of localhost are known without it. */
async function readHosts (path: string, name: string): Promise<ResolvedAddress[]> {
  const lines = await readLines(path)
  const found = lines.filter(([, ...names]) => names.some((one) => one.toLowerCase() === name)).map(([address = '']) => address)
  const isLocal = name === 'localhost' || name.endsWith('.localhost')
  const addresses = found.length === 0 && isLocal ? ['127.0.0.1', '::1'] : found
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

/** The names to ask for, in this order: short names are completed as the system does it. */
async function listCandidates (path: string, host: string): Promise<string[]> {
  const name = host.replace(/\.$/, '')
  if (host.endsWith('.')) return [name]
  const lines = await readLines(path)
  const domains = lines.filter(([keyword]) => keyword === 'search' || keyword === 'domain').at(-1)?.slice(1) ?? []
  const minDots = Number(/ndots:(\d+)/.exec(lines.filter(([keyword]) => keyword === 'options').flat().join(' '))?.[1] ?? 1)
  const completed = domains.map((domain) => `${name}.${domain}`)
  return name.split('.').length - 1 >= minDots ? [name, ...completed] : [...completed, name]
}

type Deps = {
  hostsPath?: string
  resolvPath?: string
  /** Name servers as `address:port`; those of the system when absent. */
  servers?: readonly string[]
  lookupMs?: number
  maxLookups?: number
  maxShare?: number
}

/** Codes of c-ares that say for certain that there is nothing. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR'])

export function createNames (
  {
    hostsPath = '/etc/hosts', resolvPath = '/etc/resolv.conf', servers, lookupMs = LOOKUP_MS, maxLookups = MAX_LOOKUPS,
    maxShare = MAX_SHARE
  }: Deps = {}
) {
  const runInPlace = createPlaces(maxLookups, maxShare)
  /** Names of the local link are known to the system only, and cost a thread until it answers: one at a time. */
  const runInThread = createPlaces(1, 1)

  async function ask (resolver: Resolver, name: string): Promise<ResolvedAddress[]> {
    const answers = await Promise.allSettled(FAMILIES.map(async (family) => {
      const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name))
      return addresses.map((address) => ({ address, family }))
    }))
    const found = answers.flatMap((answer) => answer.status === 'fulfilled' ? answer.value : [])
    if (found.length > 0) return found
    const codes = answers.flatMap((answer) => answer.status === 'rejected' ? [(answer.reason as NodeJS.ErrnoException).code ?? ''] : [])
    if (codes.every((code) => NOTHING.has(code))) return []
    throw failure(codes.includes('ECANCELLED') ? 'ETIMEDOUT' : 'EAI_AGAIN')
  }

  async function askServers (candidates: readonly string[]): Promise<ResolvedAddress[]> {
    const resolver = new Resolver({ timeout: lookupMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => { resolver.cancel() }, lookupMs)
    try {
      for (const name of candidates) {
        const found = await ask(resolver, name)
        if (found.length > 0) return found
      }
      throw failure('ENOTFOUND')
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /**
     * Addresses by the hosts file, else by the name servers. Waits for a place first, which is not counted as time of the lookup. Throws
     * an Error with a code of the system, or with `NO_PLACE`.
     */
    lookUp: (async (host) => {
      const name = host.toLowerCase().replace(/\.$/, '')
      const known = await readHosts(hostsPath, name)
      if (known.length > 0) return known
      const caller = callers.getStore() ?? { share: '' }
      const askSystem = async (): Promise<ResolvedAddress[]> => await lookUpBySystem(name, { all: true, order: 'verbatim' })
      if (name.endsWith('.local')) return await runInThread(caller, askSystem)
      const candidates = await listCandidates(resolvPath, host)
      return await runInPlace(caller, async () => await askServers(candidates))
    }) satisfies Lookup
  }
}

/** Finds the addresses of a name. One set of places for the whole process. */
export const { lookUp: lookUpName } = createNames()
