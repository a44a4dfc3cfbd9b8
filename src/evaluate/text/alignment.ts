/**
 * Aligns heard tokens with spoken ones.
 *
 * Costs are those of sclite (substitution 4, deletion and insertion 3), not 1 each: of two alignments with about as many errors, the one
 * that keeps more tokens right is then cheaper. Times are measured on right tokens.
 */

const SUBSTITUTION = 4
const GAP = 3
/** Larger tables are divided first, so that memory grows with the length of the text and not with its square. */
const FULL_CELLS = 4_000_000

type Tokens = Int32Array
/** A stretch of each text, and the index at which it begins. */
type Part = { said: Tokens, heard: Tokens, saidFrom: number, heardFrom: number }

/** For every heard token the index of the spoken token it is aligned with, right or wrong; -1 for an invented one. */
export function alignTokens (said: readonly string[], heard: readonly string[], fullCells: number = FULL_CELLS): Int32Array {
  const numbers = new Map<string, number>()
  const toNumbers = (tokens: readonly string[]): Tokens => Int32Array.from(tokens, (token) => {
    const number = numbers.get(token) ?? numbers.size
    numbers.set(token, number)
    return number
  })
  const result = new Int32Array(heard.length).fill(-1)
  alignPart({ said: toNumbers(said), heard: toNumbers(heard), saidFrom: 0, heardFrom: 0 }, fullCells, result)
  return result
}

function alignPart (part: Part, fullCells: number, result: Int32Array): void {
  const { said, heard, saidFrom, heardFrom } = part
  if (said.length < 2 || (said.length + 1) * (heard.length + 1) <= fullCells) return alignWhole(part, result)
  // Hirschberg: the best alignment crosses the middle of the spoken tokens where the costs of both halves have the smallest sum.
  const middle = said.length >> 1
  const before = costs(said.subarray(0, middle), heard)
  const after = costs(said.slice(middle).reverse(), heard.slice().reverse())
  const totals = before.map((cost, column) => cost + (after[heard.length - column] as number))
  const split = totals.indexOf(totals.reduce((least, cost) => Math.min(least, cost)))
  alignPart({ said: said.subarray(0, middle), heard: heard.subarray(0, split), saidFrom, heardFrom }, fullCells, result)
  const rest = { said: said.subarray(middle), heard: heard.subarray(split), saidFrom: saidFrom + middle, heardFrom: heardFrom + split }
  alignPart(rest, fullCells, result)
}

/** The lowest cost of aligning all of `said` with each prefix of `heard`. */
function costs (said: Tokens, heard: Tokens): Int32Array {
  let above = Int32Array.from({ length: heard.length + 1 }, (_, column) => GAP * column)
  let current = new Int32Array(heard.length + 1)
  for (const token of said) {
    fillRow(token, heard, above, current)
    ;[above, current] = [current, above]
  }
  return above
}

function fillRow (token: number, heard: Tokens, above: Int32Array, current: Int32Array): void {
  current[0] = (above[0] as number) + GAP
  for (let column = 1; column <= heard.length; column++) {
    const pair = (above[column - 1] as number) + (heard[column - 1] === token ? 0 : SUBSTITUTION)
    current[column] = Math.min(pair, (above[column] as number) + GAP, (current[column - 1] as number) + GAP)
  }
}

function alignWhole ({ said, heard, saidFrom, heardFrom }: Part, result: Int32Array): void {
  const width = heard.length + 1
  const table = new Int32Array((said.length + 1) * width)
  const rowAt = (row: number): Int32Array => table.subarray(row * width, (row + 1) * width)
  for (let column = 0; column < width; column++) table[column] = GAP * column
  for (const [index, token] of said.entries()) fillRow(token, heard, rowAt(index), rowAt(index + 1))
  let row = said.length
  let column = heard.length
  while (row > 0 && column > 0) {
    const here = table[row * width + column] as number
    const isSame = said[row - 1] === heard[column - 1]
    if (here === (table[(row - 1) * width + column - 1] as number) + (isSame ? 0 : SUBSTITUTION)) {
      row--
      column--
      result[heardFrom + column] = saidFrom + row
    } else if (here === (table[(row - 1) * width + column] as number) + GAP) {
      row--
    } else {
      column--
    }
  }
}
