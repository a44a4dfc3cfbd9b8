/**
 * Fits the weights of src/domain/relevance.ts on one half of the labelled retrieval set and prints them: `node bench/fit-relevance.ts`.
 * Paste what it prints into the table of calibrations. Choose between ways to fit by what is cross-checked within that half. `--check`
 * also looks at the other half: do that once, at the end.
 */
import { createScratch } from '../dist/evaluate/machine/paths.js'
import { askAll } from './cases/retrieval.ts'
import { checkFit, crossCheck, fitCases } from './lib/fit.ts'
import type { Case } from './lib/fit.ts'
import { toCase } from './lib/retrieval-figures.ts'
import type { Answer } from './lib/retrieval.ts'

/** What search knows when there is no model. */
const withoutVectors = ({ relevant, found }: Case): Case => ({
  relevant,
  found: found.map(({ transcript, evidence }) => ({ transcript, evidence: { ...evidence, similarity: undefined, context: undefined } }))
})
/** Only passages of the query's language: a calibration is for passages that the model knows, or for those that it does not. */
const inLanguage = (answer: Answer): Case => {
  const found = answer.found.filter(({ transcript }) => transcript.startsWith(answer.query.language))
  return toCase({ ...answer, found })
}

const GROUPS: ReadonlyArray<[name: string, (answer: Answer) => boolean, (answer: Answer) => Case]> = [
  ['fluent', ({ query }) => query.language === 'en', inLanguage],
  ['foreign', ({ query }) => query.language !== 'en', inLanguage],
  ['words', () => true, (answer) => withoutVectors(toCase(answer))]
]

const isChecked = process.argv.includes('--check')
const scratch = createScratch()
try {
  const { answers } = await askAll({ scratch: scratch.path, log: (line) => { console.error(line) } })
  for (const [name, isIn, toOwn] of GROUPS) {
    const half = (wanted: number): Case[] => answers.filter((answer) => isIn(answer) && answer.query.half === wanted).map(toOwn)
    const fit = fitCases(half(0))
    console.log(`${name}: ${JSON.stringify(fit, (_, value) => typeof value === 'number' ? Math.round(100 * value) / 100 : value)}`)
    console.log(`  cross-checked within: ${JSON.stringify(crossCheck(half(0)))}`)
    console.log(`  fitted on: ${JSON.stringify(checkFit(half(0), fit))}`)
    if (isChecked) console.log(`  checked on: ${JSON.stringify(checkFit(half(1), fit))}`)
  }
} finally {
  scratch.remove()
}
