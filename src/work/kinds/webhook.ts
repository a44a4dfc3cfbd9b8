/** Sending webhooks: many at once, and no receiver at the cost of another. */
import type { Log } from '../../domain/log.js'
import type { WorkClaim } from '../../domain/work.js'
import type { Deliveries } from '../../service/deliveries.js'
import type { Kind } from '../kind.js'

/** How long requests may take to end when this process stops. */
const GRACE_MS = 1000

/** Attempts at once, in all and to one receiver, by how its last attempt went. Working receivers always have half of all slots. */
const LIMITS = { unknown: { all: 128, each: 1 }, works: { all: 256, each: 8 }, fails: { all: 16, each: 4 } }
/** Receivers that are remembered; one that was forgotten counts as unknown. */
const MAX_REMEMBERED = 10_000

type State = keyof typeof LIMITS
/** `turn`: number of the last attempt that was started. The receiver with the lowest number is next. */
type Receiver = { state: State, underWay: number, turn: number }
type Deps = { deliveries: Pick<Deliveries, 'listReady' | 'claim' | 'attempt'>, log: Log, graceMs?: number }

export function createWebhookKind ({ deliveries, log, graceMs = GRACE_MS }: Deps): Kind {
  const receivers = new Map<string, Receiver>()
  /** Which receiver a claim is for. */
  const receiverOf = new WeakMap<WorkClaim, Receiver>()
  /** Attempts under way, by the state of their receivers when they began. */
  const underWay: Record<State, number> = { unknown: 0, works: 0, fails: 0 }
  let turns = 0

  function recall (name: string): Receiver {
    const known = receivers.get(name)
    if (known) return known
    if (receivers.size >= MAX_REMEMBERED) for (const [other, { underWay }] of receivers) if (underWay === 0) receivers.delete(other)
    const receiver = { state: 'unknown' as const, underWay: 0, turn: 0 }
    receivers.set(name, receiver)
    return receiver
  }

  function hasRoom ({ state, underWay: own }: Receiver): boolean {
    const { all, each } = LIMITS[state]
    if (own >= each) return false
    if (state === 'works') return true
    return underWay[state] < all && underWay.unknown + underWay.fails < LIMITS.unknown.all
  }

  /** Fills every free slot, the receiver served longest ago first. */
  function * claims (): Generator<WorkClaim> {
    const ready = deliveries.listReady().map((name) => [name, recall(name)] as const)
    for (const [name, receiver] of ready.sort(([, a], [, b]) => a.turn - b.turn)) {
      while (hasRoom(receiver)) {
        const claim = deliveries.claim(name)
        if (!claim) break
        receiverOf.set(claim, receiver)
        yield claim
      }
    }
  }

  return {
    kind: 'webhook',
    lane: { slots: LIMITS.works.all, claims },
    graceMs,
    async run (claim, signal) {
      const receiver = receiverOf.get(claim)
      if (!receiver) throw new Error(`webhook ${claim.id} was not claimed here`)
      // Decrement the state we incremented; it may have changed meanwhile.
      const { state } = receiver
      receiver.turn = ++turns
      receiver.underWay++
      underWay[state]++
      try {
        receiver.state = await deliveries.attempt(claim, signal) ? 'works' : 'fails'
      } catch (error) {
        // Not given back at once: on a full disk it would be sent twice a second. Its lease runs out, and it is sent again.
        log.error({ err: error, deliveryId: claim.idx }, 'the end of a webhook could not be noted')
      } finally {
        receiver.underWay--
        underWay[state]--
      }
    }
  }
}
