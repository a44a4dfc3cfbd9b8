/** Framed messages for the terminal. */

const WIDTH = 100

function wrap (sentence: string, width: number): string[] {
  const lines: string[] = []
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Puts sentences in a box, with an empty line before and after. A word longer than the box sticks out. */
export function frame (sentences: readonly string[]): string {
  const lines = sentences.flatMap((sentence) => wrap(sentence, WIDTH - 4))
  const rule = '*'.repeat(WIDTH)
  return ['', rule, ...lines.map((line) => `* ${line.padEnd(WIDTH - 4)} *`), rule, ''].join('\n')
}

/** The notice for people who have only the starter model after set-up. */
export const starterNotice = (reason: string): string[] => [
  'ONLY THE STARTER MODEL IS INSTALLED: human speech will be transcribed as nonsense.',
  'It was trained on synthetic voices and is meant for tests and a first look.',
  reason,
  'To install a real model: npx stenobox models pull base',
  'Without a network: see docs/models.md.'
]
