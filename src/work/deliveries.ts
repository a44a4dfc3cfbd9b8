/**
 * The clock of webhooks: claims what is due, many at once, and no receiver at the cost of another. Runs in the process that holds the work lock,
 * which starts it.
 */
import type { Log } from '../domain/log.js'
import type { Deliveries } from '../service/deliveries.js'

/** What has come due is noticed within this time; the end of a job wakes the clock at once. */
const POLL_MS = 500
/** How long requests that are under way may take to end when this process stops. */
const GRACE_MS = 1000

/** Attempts at once, in all and to one receiver, by how its last attempt went. Those that work always have half of all places. */
const LIMITS = { unknown: { all: 128, each: 1 }, works: { all: 256, each: 8 }, fails: { all: 16, each: 4 } }
/** Receivers that are remembered; forgetting them costs a moment of caution. */
const MAX_REMEMBERED = 10_000

type Claim = NonNullable<ReturnType<Deliveries['claim']>>
type State = keyof typeof LIMITS
/** `turn`: number of the last attempt that was started; who was served longest ago is next. */
type Receiver = { state: State, underWay: number, turn: number }
type Deps = { deliveries: Pick<Deliveries, 'listReady' | 'claim' | 'attempt' | 'takeBack'>, log: Log, graceMs?: number }

export function createDeliveryLoop ({ deliveries, log, graceMs = GRACE_MS }: Deps) {
  const controller = new AbortController()
  const inFlight = new Set<Promise<void>>()
  const receivers = new Map<string, Receiver>()
  /** Attempts under way, by what was known of their receivers when they began. */
  const underWay: Record<State, number> = { unknown: 0, works: 0, fails: 0 }
  let turns = 0
  let timer: NodeJS.Timeout | undefined
  let isWorking = false

  function recall (name: string): Receiver {
    const known = receivers.get(name)
    if (known) return known
    if (receivers.size >= MAX_REMEMBERED) for (const [other, { underWay }] of receivers) if (underWay === 0) receivers.delete(other)
    const receiver = { state: 'unknown' as const, underWay: 0, turn: 0 }
    receivers.set(name, receiver)
    return receiver
  }

  function hasRoom (receiver: Receiver): boolean {
    const { all, each } = LIMITS[receiver.state]
    if (receiver.underWay >= each || inFlight.size >= LIMITS.works.all) return false
    if (receiver.state === 'works') return true
    return underWay[receiver.state] < all && underWay.unknown + underWay.fails < LIMITS.unknown.all
  }

  async function attempt (receiver: Receiver, claim: Claim): Promise<void> {
    // Taken off again under the name it was counted under, whatever it shows.
    const { state } = receiver
    receiver.turn = ++turns
    receiver.underWay++
    underWay[state]++
    try {
      receiver.state = await deliveries.attempt(claim, controller.signal) ? 'works' : 'fails'
    } catch (error) {
      // Its lease runs out, and it is sent again.
      log.error({ err: error, deliveryId: claim.id }, 'the end of a webhook could not be noted')
    } finally {
      receiver.underWay--
      underWay[state]--
    }
  }

  function start (name: string, receiver: Receiver): boolean {
    const claim = deliveries.claim(name)
    if (!claim) return false
    const tracked: Promise<void> = attempt(receiver, claim).finally(() => {
      inFlight.delete(tracked)
      pump()
    })
    inFlight.add(tracked)
    return true
  }

  /** Fills every free place, in turn. */
  function pump (): void {
    if (!isWorking) return
    try {
      const ready = deliveries.listReady().map((name) => [name, recall(name)] as const)
      for (const [name, receiver] of ready.sort(([, a], [, b]) => a.turn - b.turn)) while (hasRoom(receiver) && start(name, receiver));
    } catch (error) {
      // A database that is full or locked now may not be at the next tick.
      log.error({ err: error }, 'claiming webhooks failed')
    }
  }

  return {
    /** Begins, by taking back what died with another process. Throws when the database cannot be written. */
    start (): void {
      deliveries.takeBack()
      isWorking = true
      timer = setInterval(pump, POLL_MS)
      pump()
    },
    /** Looks for what is due now. */
    wake: pump,
    /** Claims nothing more, and lets what is under way end; what does not for too long is given back. */
    async stop (): Promise<void> {
      isWorking = false
      clearInterval(timer)
      const grace = setTimeout(() => { controller.abort() }, graceMs)
      await Promise.all(inFlight)
      clearTimeout(grace)
    }
  }
}
export type DeliveryLoop = ReturnType<typeof createDeliveryLoop>
