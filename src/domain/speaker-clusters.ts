/** Groups voice prints by speaker when the number of speakers is unknown. Pure. */
import { toUnitLength } from './speaker-observation.js'
import { dot } from './vectors.js'

/** Windows of sound in order of time: where the middle of each is, in ms, and its voice print, of unit length. */
export type VoicePrints = { centresMs: readonly number[], voices: readonly Float32Array[] }

/** What the caller knows of the number of speakers. */
export type SpeakerCount = { min?: number, max?: number }

/** `hopMs`: from one window to the next. `check` is called several times a second and may throw to stop the work. */
export type Pace = { hopMs: number, check: () => void }

/** Windows closer than this share sound, so their likeness says nothing. */
const SHARED_MS = 1650
/**
 * Likeness is compared between windows that are about as far apart: one voice changes slowly, so that the beginning and the end of a
 * recording differ.
 */
const LAGS_MS = [SHARED_MS, 4000, 8000, 16_000, 40_000, 120_000, 600_000]
/** Windows that are compared at most; of more, every n-th is taken. */
const MAX_COMPARED = 120
/** Windows that k-means looks at, at most. */
const MAX_FITTED = 800
const ITERATIONS = 12
/** Numbers of clusters that a group is tried to be divided into. The parts that do not differ are joined afterwards. */
const TRIED_PARTS = [2, 3, 5, 9, 17]
/** So many parts are tried only when each would have this much speech on average: meetings of many people are long. */
const MANY_PARTS = 17
const MANY_PART_SECONDS = 15
/**
 * Two parts are different speakers when their likeness differs clearly (`separation`), and when the windows do not change part as often as
 * the parts of one voice do. One voice that k-means divides has a separation of up to 1.0, and changes every 1.5 s. Two
 * speakers on a telephone line have 1.3 and change every 3 s, on a good microphone 3 and more.
 * A few windows of one voice can be far from the rest by chance: 6 s of it have a separation of up to 1.6, and 4 s up to 2.5. So the
 * less speech the smaller part has, the more its separation must be.
 */
const MIN_SEPARATION = 1.02
const SMALL_SECONDS_CUBED = 120
const MIN_SEPARATION_TIMES_SECONDS = 2.9
/** Each group is compared with this many others whose mean voices are most like its own, before all are compared. */
const NEAREST = 3
/** A part must have this much speech. */
const MIN_PART_SECONDS = 2

const strideFor = (count: number, limit: number): number => Math.max(1, Math.ceil(count / limit))
const pick = <T>(items: readonly T[], limit: number): T[] => {
  const stride = strideFor(items.length, limit)
  return stride === 1 ? [...items] : items.filter((_, index) => index % stride === 0)
}

/** The mean of the voice prints, of unit length. */
export function meanVoice (voices: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(voices[0]?.length ?? 0)
  for (const voice of voices) for (let i = 0; i < sum.length; i++) sum[i]! += voice[i]!
  return toUnitLength(sum)
}

/** The index of the voice that is most like this one. */
export function nearestVoice (voice: Float32Array, means: readonly Float32Array[]): number {
  let [best, most] = [0, -Infinity]
  for (const [index, mean] of means.entries()) {
    const likeness = dot(voice, mean)
    if (likeness > most) [best, most] = [index, likeness]
  }
  return best
}

function meansOf (voices: readonly Float32Array[], labels: readonly number[], count: number): Float32Array[] {
  return Array.from({ length: count }, (_, label) => meanVoice(voices.filter((_, index) => labels[index] === label)))
}

/** Spherical k-means from these means. Returns the final means and the mean likeness of a voice print to its own. */
function refine (
  voices: readonly Float32Array[], start: readonly Float32Array[], check: () => void
): { means: Float32Array[], likeness: number } {
  let means = [...start]
  let labels: number[] = []
  for (let round = 0; round < ITERATIONS; round++) {
    check()
    const next = voices.map((voice) => nearestVoice(voice, means))
    if (next.every((label, index) => label === labels[index])) break
    labels = next
    means = meansOf(voices, labels, means.length).map((mean, index) => labels.includes(index) ? mean : means[index]!)
  }
  const likeness = voices.reduce((sum, voice, index) => sum + dot(voice, means[labels[index]!]!), 0) / voices.length
  return { means, likeness }
}

/** The direction in which the voice prints differ most, by power iteration. */
function mainDirection (voices: readonly Float32Array[], check: () => void): Float32Array {
  const size = voices[0]!.length
  const mean = new Float32Array(size)
  for (const voice of voices) for (let i = 0; i < size; i++) mean[i]! += voice[i]! / voices.length
  let direction = toUnitLength(Float32Array.from(voices[0]!, (value, i) => value - mean[i]!))
  for (let round = 0; round < 30; round++) {
    check()
    const next = new Float32Array(size)
    for (const voice of voices) {
      let along = 0
      for (let i = 0; i < size; i++) along += (voice[i]! - mean[i]!) * direction[i]!
      for (let i = 0; i < size; i++) next[i]! += along * (voice[i]! - mean[i]!)
    }
    direction = toUnitLength(next)
  }
  return direction
}

/** Two means to start from: those of the halves along the main direction. */
function halves (voices: readonly Float32Array[], check: () => void): Float32Array[] {
  const direction = mainDirection(voices, check)
  const along = voices.map((voice) => dot(voice, direction))
  const middle = along.reduce((sum, value) => sum + value, 0) / along.length
  return [0, 1].map((side) => meanVoice(voices.filter((_, index) => (along[index]! > middle ? 1 : 0) === side)))
}

/** Means to start from: voice prints that are far from each other, each averaged with its neighbours in time. */
function farApart (voices: readonly Float32Array[], count: number, check: () => void): Float32Array[] {
  const smooth = voices.map((_, index) => meanVoice(voices.slice(Math.max(0, index - 2), index + 3)))
  // The first is the one that is least like the mean of all; that mean itself is not used.
  const chosen: Float32Array[] = []
  const mean = meanVoice(voices)
  let likeness = smooth.map((voice) => dot(voice, mean))
  while (chosen.length < count) {
    check()
    const next = smooth[likeness.indexOf(Math.min(...likeness))]!
    likeness = smooth.map((voice, index) => Math.max(chosen.length === 0 ? -Infinity : likeness[index]!, dot(voice, next)))
    chosen.push(next)
  }
  return chosen
}

/** The best of several divisions into this many parts. */
function divide (voices: readonly Float32Array[], parts: number, check: () => void): Float32Array[] {
  const fitted = pick(voices, MAX_FITTED)
  const starts = [farApart(fitted, parts, check), ...(parts === 2 ? [halves(fitted, check)] : [])]
  return starts.map((start) => refine(fitted, start, check)).sort((a, b) => b.likeness - a.likeness)[0]!.means
}

type Moments = { count: number, sum: number, squares: number }
const moments = (): Moments => ({ count: 0, sum: 0, squares: 0 })
function note (into: Moments, value: number): void {
  into.count++
  into.sum += value
  into.squares += value * value
}
const meanOf = ({ count, sum }: Moments): number => sum / count
const varianceOf = (values: Moments): number => Math.max(1e-6, values.squares / values.count - meanOf(values) ** 2)

/** Labels without single windows that differ from their neighbours. */
function smoothLabels (labels: readonly number[]): number[] {
  return labels.map((label, index) => {
    const [before, after] = [labels[index - 1], labels[index + 1]]
    return before !== undefined && before === after ? before : label
  })
}

type Likeness = { inside: Moments, across: Moments }

/** Mean over the lags, weighted by the pairs that can be compared at each. */
function separationOf (bins: readonly Likeness[]): number {
  let [sum, weights] = [0, 0]
  for (const { inside, across } of bins) {
    if (inside.count < 2 || across.count < 2) continue
    const weight = Math.min(inside.count, across.count)
    sum += weight * (meanOf(inside) - meanOf(across)) / Math.sqrt((varianceOf(inside) + varianceOf(across)) / 2)
    weights += weight
  }
  return weights === 0 ? 0 : sum / weights
}

/**
 * How clearly two parts of a recording are two voices: the difference between the likeness inside the parts and across them, in standard
 * deviations; and that times the seconds for which a part lasts.
 */
export function comparePatterns ({ centresMs, voices }: VoicePrints, isSecond: readonly boolean[], hopMs: number) {
  const bins = LAGS_MS.map(() => ({ inside: moments(), across: moments() }))
  const compared = pick([...voices.keys()], MAX_COMPARED)
  for (const [place, one] of compared.entries()) {
    for (let next = place + 1; next < compared.length; next++) {
      const other = compared[next]!
      const lagMs = Math.abs(centresMs[one]! - centresMs[other]!)
      const bin = bins.findLast((_, index) => lagMs >= LAGS_MS[index]!)
      if (bin) note(isSecond[one] === isSecond[other] ? bin.inside : bin.across, dot(voices[one]!, voices[other]!))
    }
  }
  const separation = separationOf(bins)
  const labels = smoothLabels(isSecond.map(Number))
  const changes = labels.filter((label, index) => index > 0 && label !== labels[index - 1]).length
  const seconds = voices.length * hopMs / 1000
  return { separation, separationSeconds: separation * seconds / (changes + 2) }
}

const subset = ({ centresMs, voices }: VoicePrints, indices: readonly number[]): VoicePrints =>
  ({ centresMs: indices.map((index) => centresMs[index]!), voices: indices.map((index) => voices[index]!) })

/** Groups of window indices, each in order of time. */
type Groups = number[][]

function gather (labels: readonly number[]): Groups {
  const groups = new Map<number, number[]>()
  for (const [index, label] of labels.entries()) {
    const group = groups.get(label)
    if (group) group.push(index)
    else groups.set(label, [index])
  }
  return [...groups.values()]
}

/** How far two groups are from being taken for one voice; below 1 they are. */
function contrast (prints: VoicePrints, one: readonly number[], other: readonly number[], { hopMs, check }: Pace): number {
  check()
  const second = new Set(other)
  const indices = [...one, ...other].sort((a, b) => a - b)
  const smallerSeconds = Math.min(one.length, other.length) * hopMs / 1000
  const { separation, separationSeconds } = comparePatterns(subset(prints, indices), indices.map((index) => second.has(index)), hopMs)
  const wanted = MIN_SEPARATION + SMALL_SECONDS_CUBED / smallerSeconds ** 3
  return Math.min(separation / wanted, separationSeconds / MIN_SEPARATION_TIMES_SECONDS)
}

type Pair = { a: number, b: number }
const allPairs = (count: number): Pair[] =>
  Array.from({ length: count }, (_, b) => Array.from({ length: b }, (__, a) => ({ a, b }))).flat()

/** Pairs of groups that may differ least: each group with those whose mean voices are most like its own. */
function likelyPairs (means: readonly Float32Array[]): Pair[] {
  const near = means.map((own, index) => new Set([...means.keys()].filter((other) => other !== index)
    .map((other) => ({ other, likeness: dot(own, means[other]!) }))
    .sort((one, next) => next.likeness - one.likeness).slice(0, NEAREST).map(({ other }) => other)))
  return allPairs(means.length).filter(({ a, b }) => near[a]!.has(b) || near[b]!.has(a))
}

/** Remembers what a function says of a group: a group never changes without another length or first window. */
function remember<T> (of: (group: readonly number[]) => T): (group: readonly number[]) => T {
  const found = new Map<string, T>()
  return (group) => {
    const key = `${group[0]} ${group.length}`
    if (!found.has(key)) found.set(key, of(group))
    return found.get(key)!
  }
}

/**
 * Joins the two groups that differ least until all differ, or until `max` groups are left, but never below `min`. Comparing costs most of
 * the time, so that all are compared only when those that are most alike differ.
 */
function joinAlike (prints: VoicePrints, start: Groups, { min = 1, max = Infinity }: SpeakerCount, pace: Pace): Groups {
  const groups = [...start]
  const meanOfGroup = remember((group) => meanVoice(group.map((index) => prints.voices[index]!)))
  const contrastWith = remember((one) => remember((other) => contrast(prints, one, other, pace)))
  const leastOf = (pairs: readonly Pair[]) => pairs.map(({ a, b }) => ({ a, b, value: contrastWith(groups[a]!)(groups[b]!) }))
    .reduce((least, pair) => pair.value < least.value ? pair : least, { a: 0, b: 0, value: Infinity })
  let areDifferent = false
  while (groups.length > min) {
    const likely = leastOf(likelyPairs(groups.map(meanOfGroup)))
    const best = likely.value < 1 ? likely : leastOf(allPairs(groups.length))
    // Voices joined only because of `max` are alike no more: after them, nothing else is joined.
    if (best.value >= 1) areDifferent = true
    if (best.b === 0 || (areDifferent && groups.length <= max)) break
    const joined = [...groups[best.a]!, ...groups[best.b]!].sort((one, other) => one - other)
    groups.splice(best.b, 1)
    groups[best.a] = joined
  }
  return groups
}

/** Parts of a group that are different voices; the group itself when there is only one. */
function split (prints: VoicePrints, group: number[], pace: Pace): Groups {
  const { hopMs, check } = pace
  const own = subset(prints, group)
  for (const parts of TRIED_PARTS) {
    if (group.length * hopMs / 1000 < parts * (parts < MANY_PARTS ? MIN_PART_SECONDS : MANY_PART_SECONDS)) break
    const means = divide(own.voices, parts, check)
    const labels = own.voices.map((voice) => nearestVoice(voice, means))
    const enough = gather(labels).filter(({ length }) => length * hopMs / 1000 >= MIN_PART_SECONDS)
    if (enough.length < 2) continue
    const found = joinAlike(own, enough, {}, pace)
    if (found.length < 2) continue
    const centres = found.map((indices) => meanVoice(indices.map((index) => own.voices[index]!)))
    return gather(own.voices.map((voice) => nearestVoice(voice, centres))).map((indices) => indices.map((index) => group[index]!))
  }
  return [group]
}

function splitAll (prints: VoicePrints, group: number[], pace: Pace): Groups {
  const parts = split(prints, group, pace)
  return parts.length === 1 ? parts : parts.flatMap((part) => splitAll(prints, part, pace))
}

/**
 * The mean voice print of each speaker. `count`: what is known of the number of speakers. None when there are no windows.
 */
export function findVoices (prints: VoicePrints, count: SpeakerCount, pace: Pace): Float32Array[] {
  if (prints.voices.length === 0) return []
  let groups = joinAlike(prints, splitAll(prints, [...prints.voices.keys()], pace), count, pace)
  while (groups.length < Math.min(count.min ?? 1, prints.voices.length)) {
    // The caller knows of more voices than are heard: the largest group is divided.
    const [largest = [], ...rest] = groups.toSorted((a, b) => b.length - a.length)
    if (largest.length < 2) break
    const means = divide(largest.map((index) => prints.voices[index]!), 2, pace.check)
    const parts = gather(largest.map((index) => nearestVoice(prints.voices[index]!, means))).map((part) => part.map((i) => largest[i]!))
    if (parts.length < 2) break
    groups = [...rest, ...parts]
  }
  return groups.map((group) => meanVoice(group.map((index) => prints.voices[index]!)))
}
