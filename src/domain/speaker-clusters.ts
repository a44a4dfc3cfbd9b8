/** Groups voice prints by speaker. Pure. */
import { toUnitLength } from './speaker-observation.js'

/** Voice prints, and how many windows each stands for. */
export type Weighted = { voice: Float32Array, weight: number }

export function cosine (a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** The mean of some voice prints, of unit length. */
export function meanVoice (items: readonly Weighted[]): Weighted {
  const sum = new Float32Array(items[0]?.voice.length ?? 0)
  let total = 0
  for (const { voice, weight } of items) {
    total += weight
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + weight * (voice[i] ?? 0)
  }
  return { voice: toUnitLength(sum), weight: total }
}

type Merge = { a: number, b: number, distance: number }

/** Where the distance of items `i` and `j` is, in a triangle of n items. */
const at = (n: number, i: number, j: number): number => i < j ? i * n - i * (i + 1) / 2 + j - i - 1 : at(n, j, i)

/**
 * All merges of average linkage, by the chain of nearest neighbours: O(n²) time and memory (4 bytes for each pair of items). Distance is
 * 1 minus the cosine. Source: Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983.
 */
function linkAverages (items: readonly Weighted[]): Merge[] {
  const n = items.length
  const distances = new Float32Array(n * (n - 1) / 2)
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) distances[at(n, i, j)] = 1 - cosine(items[i]!.voice, items[j]!.voice)
  }
  const weights = items.map(({ weight }) => weight)
  const alive = new Set(items.keys())
  const chain: number[] = []
  const merges: Merge[] = []
  while (alive.size > 1) {
    if (chain.length === 0) chain.push(alive.values().next().value!)
    const tip = chain.at(-1)!
    const before = chain.at(-2)
    // On a tie the item before wins, or the chain would never end.
    let [nearest, distance] = before === undefined ? [-1, Infinity] : [before, distances[at(n, tip, before)]!]
    for (const other of alive) {
      const found = other === tip ? Infinity : distances[at(n, tip, other)]!
      if (found < distance) [nearest, distance] = [other, found]
    }
    if (nearest !== before) {
      chain.push(nearest)
      continue
    }
    chain.length -= 2
    const [a, b] = [Math.min(tip, nearest), Math.max(tip, nearest)]
    merges.push({ a, b, distance })
    alive.delete(b)
    const [weightA, weightB] = [weights[a]!, weights[b]!]
    for (const other of alive) {
      if (other === a) continue
      distances[at(n, a, other)] = (weightA * distances[at(n, a, other)]! + weightB * distances[at(n, b, other)]!) / (weightA + weightB)
    }
    weights[a] = weightA + weightB
  }
  return merges.sort((one, other) => one.distance - other.distance)
}

/** The cluster of each item, when all merges up to this distance are made and no more than leave `min` clusters. */
export function clusterByAverage (
  items: readonly Weighted[], { maxDistance, min = 1, max = Infinity }: { maxDistance: number, min?: number, max?: number }
): number[] {
  const parents = items.map((_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  let clusters = items.length
  for (const { a, b, distance } of linkAverages(items)) {
    if (clusters <= min || (distance > maxDistance && clusters <= max)) break
    parents[rootOf(b)] = rootOf(a)
    clusters--
  }
  const labels = new Map<number, number>()
  return items.map((_, index) => {
    const root = rootOf(index)
    if (!labels.has(root)) labels.set(root, labels.size)
    return labels.get(root)!
  })
}
