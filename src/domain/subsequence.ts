/** What two lists have in common, in order (after Hunt and Szymanski, 1977). Pure. */

/** A key that pairs more often than this is left out: texts of one repeated word would take seconds. */
const MAX_PAIRS_OF_KEY = 20_000

/** A pair of places and the pair before it in the longest common subsequence so far. */
type Link = { first: number, second: number, before: Link | undefined }

/** The places of each key, from the last to the first. */
function placesOf (keys: readonly string[], from: number, to: number): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let index = to - 1; index >= from; index--) {
    const known = places.get(keys[index]!)
    if (known) known.push(index)
    else places.set(keys[index]!, [index])
  }
  return places
}

/** How many elements of `tails` are before `second`. */
function countBelow (tails: readonly Link[], second: number): number {
  let [low, high] = [0, tails.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (tails[middle]!.second < second) low = middle + 1
    else high = middle
  }
  return low
}

/** Pairs of the stretches between `from` and the ends. */
function pairBetween (first: readonly string[], second: readonly string[], from: number, ends: readonly [number, number]): Link[] {
  const places = placesOf(second, from, ends[1])
  const counts = placesOf(first, from, ends[0])
  // tails[n]: the end of a common subsequence of n + 1 elements that ends earliest.
  const tails: Link[] = []
  for (let index = from; index < ends[0]; index++) {
    const key = first[index]!
    const matching = places.get(key) ?? []
    if (matching.length * (counts.get(key)?.length ?? 0) > MAX_PAIRS_OF_KEY) continue
    for (const place of matching) {
      const length = countBelow(tails, place)
      tails[length] = { first: index, second: place, before: tails[length - 1] }
    }
  }
  const links: Link[] = []
  for (let link = tails.at(-1); link; link = link.before) links.push(link)
  return links.reverse()
}

/**
 * The places of a longest common subsequence: [index in `first`, index in `second`] in order. Elements that both have very often may be
 * left out, except at both ends.
 */
export function pairInOrder (first: readonly string[], second: readonly string[]): Array<[number, number]> {
  let from = 0
  while (from < first.length && from < second.length && first[from] === second[from]) from++
  let same = 0
  while (same < first.length - from && same < second.length - from && first.at(-1 - same) === second.at(-1 - same)) same++
  const ends = [first.length - same, second.length - same] as const
  return [
    ...Array.from({ length: from }, (_, index): [number, number] => [index, index]),
    ...pairBetween(first, second, from, ends).map((link): [number, number] => [link.first, link.second]),
    ...Array.from({ length: same }, (_, index): [number, number] => [ends[0] + index, ends[1] + index])
  ]
}
