/** Compares texts word by word, and brings two changes of one text together. Pure. */

/** `mine` and `theirs` differ from `base` at once: a person must choose. */
export type MergePart =
  | { kind: 'same', text: string }
  | { kind: 'mine' | 'theirs' | 'both' | 'conflict', base: string, mine: string, theirs: string }
/** `text`: with mine where there is a conflict. */
export type Merged = { text: string, parts: MergePart[], isClean: boolean }

export type DiffPart = { kind: 'same' | 'added' | 'removed', text: string }

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Words, each with the space before it. Scripts without spaces are split into words as well. */
export function toTokens (text: string): string[] {
  const tokens: string[] = []
  let space = ''
  for (const { segment } of words.segment(text)) {
    if (segment.trim() === '') {
      space += segment
      continue
    }
    tokens.push(space + segment)
    space = ''
  }
  if (space !== '') tokens.push(space)
  return tokens
}

/** Beyond it, comparing would keep the page waiting; the texts then count as different from start to end. */
const MAX_COMPARISONS = 4_000_000

/** Pairs of places of equal tokens in both, ascending, as many as there can be. */
function match (a: readonly string[], b: readonly string[]): Array<[number, number]> {
  if (a.length * b.length > MAX_COMPARISONS) return []
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const pairs: Array<[number, number]> = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return pairs
}

/** What was removed from `before` and added in `after`. */
export function diffWords (before: string, after: string): DiffPart[] {
  const [a, b] = [toTokens(before), toTokens(after)]
  const parts: DiffPart[] = []
  const add = (kind: DiffPart['kind'], tokens: readonly string[]): void => {
    if (tokens.length === 0) return
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += tokens.join('')
    else parts.push({ kind, text: tokens.join('') })
  }
  let [i, j] = [0, 0]
  for (const [x, y] of [...match(a, b), [a.length, b.length] as const]) {
    add('removed', a.slice(i, x))
    add('added', b.slice(j, y))
    add('same', a.slice(x, x + 1));
    [i, j] = [x + 1, y + 1]
  }
  return parts
}

const kindOf = (base: string, mine: string, theirs: string): 'mine' | 'theirs' | 'both' | 'conflict' => {
  if (mine === theirs) return 'both'
  if (mine === base) return 'theirs'
  return theirs === base ? 'mine' : 'conflict'
}

/** Brings together what two people made of `base`. */
export function mergeTexts (base: string, mine: string, theirs: string): Merged {
  const [tokens, ours, others] = [toTokens(base), toTokens(mine), toTokens(theirs)]
  const [inOurs, inOthers] = [new Map(match(tokens, ours)), new Map(match(tokens, others))]
  const parts: MergePart[] = []
  let [from, fromOurs, fromOthers] = [0, 0, 0]
  const close = (to: number, toOurs: number, toOthers: number): void => {
    const texts = [tokens.slice(from, to), ours.slice(fromOurs, toOurs), others.slice(fromOthers, toOthers)].map((each) => each.join(''))
    const [was = '', own = '', their = ''] = texts
    if (was !== '' || own !== '' || their !== '') parts.push({ kind: kindOf(was, own, their), base: was, mine: own, theirs: their })
  }
  for (const [place, token] of tokens.entries()) {
    const [own, their] = [inOurs.get(place), inOthers.get(place)]
    if (own === undefined || their === undefined) continue
    close(place, own, their)
    const last = parts.at(-1)
    if (last?.kind === 'same') last.text += token
    else parts.push({ kind: 'same', text: token });
    [from, fromOurs, fromOthers] = [place + 1, own + 1, their + 1]
  }
  close(tokens.length, ours.length, others.length)
  const text = parts.map((part) => {
    if (part.kind === 'same') return part.text
    return part.kind === 'theirs' ? part.theirs : part.mine
  }).join('').trim()
  return { text, parts, isClean: parts.every(({ kind }) => kind !== 'conflict') }
}
