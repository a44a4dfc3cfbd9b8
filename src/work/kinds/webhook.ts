/** Sending webhooks: many at once, and no receiver at the cost of another. */
import type { Log } from '../../domain/log.js'
import type { WorkClaim } from '../../domain/work.js'
import type { Deliveries } from '../../service/deliveries.js'
import type { Kind } from '../kind.js'

/** How long requests may take to end when this process stops. */
const GRACE_MS = 1000

/**
 * Attempts at once, in all and to one receiver, by how its last attempt went. Working receivers always have half of all slots. An owner
 * may use half of what the others leave of each number; an owner with no attempt under way may use every free slot.
 */
const LIMITS = { unknown: { all: 128, each: 1 }, works: { all: 256, each: 8 }, fails: { all: 16, each: 4 } }
/** Receivers that are remembered; one that was forgotten counts as unknown. */
const MAX_REMEMBERED = 10_000

type State = keyof typeof LIMITS
const ALL: readonly State[] = ['unknown', 'works', 'fails']
const UNPROVEN: readonly State[] = ['unknown', 'fails']
/** `turn`: number of the last attempt that was started. The receiver with the lowest number is next. */
type Receiver = { owner: string, state: State, underWay: number, turn: number }
type Counts = Record<State, number>
const sum = (counts: Counts, states: readonly State[]): number => states.reduce((total, state) => total + counts[state], 0)

type Deps = { deliveries: Pick<Deliveries, 'listReady' | 'claim' | 'attempt'>, log: Log, graceMs?: number }

export function createWebhookKind ({ deliveries, log, graceMs = GRACE_MS }: Deps): Kind {
  const receivers = new Map<string, Receiver>()
  /** Which receiver a claim is for. */
  const receiverOf = new WeakMap<WorkClaim, Receiver>()
  /** Attempts under way by the state of their receivers when they began: in total, and for each owner that has any. */
  const underWay: Counts = { unknown: 0, works: 0, fails: 0 }
  const byOwner = new Map<string, Counts>()
  let turns = 0

  /** Counts an attempt that begins (1) or ends (-1). */
  function count ({ owner }: Receiver, state: State, change: 1 | -1): void {
    const own = byOwner.get(owner) ?? { unknown: 0, works: 0, fails: 0 }
    own[state] += change
    underWay[state] += change
    if (sum(own, ALL) > 0) byOwner.set(owner, own)
    else byOwner.delete(owner)
  }

  function recall (name: string, owner: string): Receiver {
    const known = receivers.get(name)
    if (known) return known
    if (receivers.size >= MAX_REMEMBERED) for (const [other, { underWay }] of receivers) if (underWay === 0) receivers.delete(other)
    const receiver = { owner, state: 'unknown' as const, underWay: 0, turn: 0 }
    receivers.set(name, receiver)
    return receiver
  }

  /** True when another attempt to a receiver in one of these states may begin. */
  function hasShare (owner: string, states: readonly State[], most: number): boolean {
    const counts = byOwner.get(owner)
    const [all, own] = [sum(underWay, states), counts ? sum(counts, states) : 0]
    return all < most && (own === 0 || own < (most - (all - own)) / 2)
  }

  function hasRoom ({ owner, state, underWay: own }: Receiver): boolean {
    if (own >= LIMITS[state].each || !hasShare(owner, ALL, LIMITS.works.all)) return false
    return state === 'works' || (hasShare(owner, [state], LIMITS[state].all) && hasShare(owner, UNPROVEN, LIMITS.unknown.all))
  }

  /** Fills every free slot, the receiver served longest ago first. */
  function * claims (): Generator<WorkClaim> {
    const ready = deliveries.listReady().map(({ receiver, owner }) => [receiver, recall(receiver, owner)] as const)
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
      count(receiver, state, 1)
      try {
        const end = await deliveries.attempt(claim, signal)
        if (end !== undefined) receiver.state = end
      } catch (error) {
        // Not given back at once: on a full disk it would be sent twice a second. Its lease runs out, and it is sent again.
        log.error({ err: error, deliveryId: claim.idx }, 'the end of a webhook could not be noted')
      } finally {
        receiver.underWay--
        count(receiver, state, -1)
      }
    }
  }
}
