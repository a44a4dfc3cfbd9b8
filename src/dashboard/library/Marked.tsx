/** A text in which some stretches are marked. The text is text: nothing in it is ever taken for markup. */

/** `start` and `end` count UTF-16 code units, as JavaScript does; `end` is exclusive. */
export type Mark = { start: number, end: number }

export function Marked ({ text, marks }: { text: string, marks: readonly Mark[] }) {
  const parts: Array<{ at: number, text: string, isMarked: boolean }> = []
  let at = 0
  const add = (end: number, isMarked: boolean): void => {
    if (end > at) parts.push({ at, text: text.slice(at, end), isMarked })
    at = Math.max(at, end)
  }
  for (const { start, end } of marks) {
    add(Math.min(start, text.length), false)
    add(Math.min(end, text.length), true)
  }
  add(text.length, false)
  return <>{parts.map((part) => part.isMarked ? <mark key={part.at}>{part.text}</mark> : part.text)}</>
}

const fold = (text: string): string => text.toLocaleLowerCase()

/** Where the words of a query are in a name. */
export function findWords (text: string, query: string): Mark[] {
  const folded = fold(text)
  // Folding that changes lengths would mark the wrong letters.
  if (folded.length !== text.length) return []
  const marks = query.split(/\s+/).filter((word) => word !== '').flatMap((word) => {
    const start = folded.indexOf(fold(word))
    return start < 0 ? [] : [{ start, end: start + word.length }]
  })
  return marks.sort((a, b) => a.start - b.start)
}
