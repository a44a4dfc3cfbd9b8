/** Word error rate: how far a text is from what was really said. Lower is better. */

export type WordErrors = {
  /** Words of the reference. */
  words: number
  substitutions: number
  deletions: number
  insertions: number
}

/** Lower case, without punctuation, in one Unicode form. An apostrophe joins ("don't" is one word), other marks part. */
export function splitWords (text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\p{L})['’ʼ](?=\p{L})/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
}

/** The fewest word edits that turn the reference into the hypothesis. */
export function countWordErrors (reference: string, hypothesis: string): WordErrors {
  const said = splitWords(reference)
  const heard = splitWords(hypothesis)
  let above: WordErrors[] = heard.map((_, column) => ({ words: 0, substitutions: 0, deletions: 0, insertions: column + 1 }))
  above.unshift(noErrors())
  for (const [row, word] of said.entries()) {
    const current: WordErrors[] = [{ ...noErrors(), deletions: row + 1 }]
    for (const [column, other] of heard.entries()) {
      const diagonal = above[column] as WordErrors
      current.push(word === other ? diagonal : chooseEdit(diagonal, above[column + 1] as WordErrors, current[column] as WordErrors))
    }
    above = current
  }
  return { ...above[heard.length] as WordErrors, words: said.length }
}

/** Errors of several files as one. */
export function sumWordErrors (all: readonly WordErrors[]): WordErrors {
  return all.reduce((sum, one) => ({
    words: sum.words + one.words,
    substitutions: sum.substitutions + one.substitutions,
    deletions: sum.deletions + one.deletions,
    insertions: sum.insertions + one.insertions
  }), noErrors())
}

/** Errors per word said. Words heard where nothing was said have no rate: undefined. */
export function rateOf (errors: WordErrors): number | undefined {
  const count = errorsOf(errors)
  if (errors.words > 0) return count / errors.words
  return count === 0 ? 0 : undefined
}

export function errorsOf (errors: WordErrors): number {
  return errors.substitutions + errors.deletions + errors.insertions
}

function chooseEdit (diagonal: WordErrors, above: WordErrors, left: WordErrors): WordErrors {
  const [substituted, deleted, inserted] = [errorsOf(diagonal), errorsOf(above), errorsOf(left)]
  if (substituted <= deleted && substituted <= inserted) return { ...diagonal, substitutions: diagonal.substitutions + 1 }
  if (deleted <= inserted) return { ...above, deletions: above.deletions + 1 }
  return { ...left, insertions: left.insertions + 1 }
}

function noErrors (): WordErrors {
  return { words: 0, substitutions: 0, deletions: 0, insertions: 0 }
}
