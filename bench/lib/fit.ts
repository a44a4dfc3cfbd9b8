/** Fits the constants of src/domain/relevance.ts to labelled results. */
import { passageSigns, probabilityOf, resultSigns, weigh } from '../../dist/domain/relevance.js'
import type { Calibration, Evidence, PassageSign, ResultSign, Weights } from '../../dist/domain/relevance.js'

/** A query: its relevant transcripts, and the evidence of each passage that was found. */
export type Case = { relevant: ReadonlySet<string>, found: ReadonlyArray<{ transcript: string, evidence: Evidence }> }
/** `precision`: share of the results from 0.7 on that are relevant. `recall`: share of the relevant transcripts that are among them. */
export type Believed = { shown: number, right: number, relevant: number, precision: number, recall: number }

type Row = { x: readonly number[], isRelevant: boolean }
type Result = { transcript: string, logOdds: number, evidence: Evidence }
type Example<Sign extends string> = { signs: Record<Sign, number>, isRelevant: boolean }

/** From this score on, a result is shown by default. */
const BELIEVED = 0.7
/** What the fit wants of results from 0.7 on; a little more than what the check wants. */
const LEAST_PRECISION = 0.81
/** Pulls weights to 0, so that few examples cannot make them large. */
const RIDGE = 0.01
const STEPS = 60
/** Which passage of a transcript is its best depends on the weights, so both are found in turn. */
const ROUNDS = 4
const FIRST_WEIGHTS: Weights<PassageSign> = { bias: 0, similarity: 1, context: 0, coverage: 1, both: 0, together: 0, length: 0 }
const FOLDS = 10

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

/** Solves a small system of linear equations by elimination. */
function solve (matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0])
  for (const [column] of rows.entries()) {
    const pivot = rows.slice(column).reduce((best, row) => Math.abs(row[column] ?? 0) > Math.abs(best[column] ?? 0) ? row : best)
    const at = rows.indexOf(pivot)
    rows[at] = rows[column] ?? []
    rows[column] = pivot
    for (const [index, row] of rows.entries()) {
      if (index === column) continue
      const factor = (row[column] ?? 0) / (pivot[column] ?? 1)
      rows[index] = row.map((value, place) => value - factor * (pivot[place] ?? 0))
    }
  }
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1))
}

/** Logistic regression by Newton's method. The first value of every `x` is 1. */
export function fitLogistic (rows: readonly Row[], width: number): number[] {
  let weights = new Array<number>(width).fill(0)
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight) => RIDGE * weight)
    const curvature = weights.map((_, a) => weights.map((_, b): number => a === b ? RIDGE : 0))
    for (const { x, isRelevant } of rows) {
      const share = 1 / (1 + Math.exp(-dot(weights, x)))
      for (let a = 0; a < width; a++) {
        gradient[a] = (gradient[a] ?? 0) + (share - (isRelevant ? 1 : 0)) * (x[a] ?? 0)
        const line = curvature[a] ?? []
        for (let b = 0; b < width; b++) line[b] = (line[b] ?? 0) + share * (1 - share) * (x[a] ?? 0) * (x[b] ?? 0)
      }
    }
    const change = solve(curvature, gradient)
    weights = weights.map((weight, index) => weight - (change[index] ?? 0))
    if (change.every((value) => Math.abs(value) < 1e-8)) break
  }
  return weights
}

/** The weights of these signs by logistic regression. */
function fitWeights<Sign extends string> (examples: ReadonlyArray<Example<Sign>>): Weights<Sign> {
  const names = Object.keys(examples[0]?.signs ?? {}) as Sign[]
  const rows = examples.map(({ signs, isRelevant }) => ({ x: [1, ...names.map((name) => signs[name])], isRelevant }))
  const [bias = 0, ...weights] = fitLogistic(rows, names.length + 1)
  return { ...Object.fromEntries(names.map((name, index) => [name, weights[index] ?? 0])), bias } as Weights<Sign>
}

/** The best passage of each transcript, best first. */
function listResults ({ found }: Case, weights: Weights<PassageSign>): Result[] {
  const best = new Map<string, Result>()
  for (const { transcript, evidence } of found) {
    const logOdds = weigh(passageSigns(evidence), weights)
    if (logOdds > (best.get(transcript)?.logOdds ?? -Infinity)) best.set(transcript, { transcript, logOdds, evidence })
  }
  return [...best.values()].sort((a, b) => b.logOdds - a.logOdds)
}

function fitPassage (cases: readonly Case[]): Weights<PassageSign> {
  let weights: Weights<PassageSign> = FIRST_WEIGHTS
  for (let round = 0; round < ROUNDS; round++) {
    weights = fitWeights(cases.flatMap((one) => listResults(one, weights).map(({ transcript, evidence }) =>
      ({ signs: passageSigns(evidence), isRelevant: one.relevant.has(transcript) }))))
  }
  return weights
}

/** Every result with its rivals. */
function listRivalries (one: Case, weights: Weights<PassageSign>): Array<Example<ResultSign>> {
  const results = listResults(one, weights)
  return results.map(({ transcript, logOdds }) => {
    const rivals = results.flatMap((other) => other.transcript === transcript ? [] : [other.logOdds])
    return { signs: resultSigns(logOdds, rivals), isRelevant: one.relevant.has(transcript) }
  })
}

/** The log-odds from which on results are right often enough, and as many as possible are shown. */
function chooseThreshold (scored: ReadonlyArray<{ logOdds: number, isRelevant: boolean }>): number {
  const sorted = scored.toSorted((a, b) => b.logOdds - a.logOdds)
  let right = 0
  let threshold = sorted[0]?.logOdds ?? 0
  for (const [index, { logOdds, isRelevant }] of sorted.entries()) {
    if (isRelevant) right++
    if (isRelevant && right / (index + 1) >= LEAST_PRECISION) threshold = logOdds
  }
  return threshold
}

/** Finds the weights for these queries. The bias of `result` puts 0.7 where results are right often enough. */
export function fitCases (cases: readonly Case[]): Calibration {
  const passage = fitPassage(cases)
  const examples = cases.flatMap((one) => listRivalries(one, passage))
  const result = fitWeights(examples)
  const threshold = chooseThreshold(examples.map(({ signs, isRelevant }) => ({ logOdds: weigh(signs, result), isRelevant })))
  return { passage, result: { ...result, bias: result.bias - threshold + Math.log(BELIEVED / (1 - BELIEVED)) } }
}

const toBelieved = (shown: number, right: number, relevant: number): Believed =>
  ({ shown, right, relevant, precision: right / Math.max(1, shown), recall: right / Math.max(1, relevant) })

/** What the results from 0.7 on are worth, with the weights of a fit. */
export function checkFit (cases: readonly Case[], { passage, result }: Calibration): Believed {
  let [shown, right, relevant] = [0, 0, 0]
  for (const one of cases) {
    relevant += one.relevant.size
    for (const { signs, isRelevant } of listRivalries(one, passage)) {
      if (probabilityOf(weigh(signs, result)) < BELIEVED) continue
      shown++
      if (isRelevant) right++
    }
  }
  return toBelieved(shown, right, relevant)
}

/** As `checkFit`, each query with weights that were fitted without it: for decisions about signs, on the half that may be fitted to. */
export function crossCheck (cases: readonly Case[]): Believed {
  const folds = Array.from({ length: FOLDS }, (_, fold) => {
    const isOut = (index: number): boolean => index % FOLDS === fold
    return checkFit(cases.filter((_, index) => isOut(index)), fitCases(cases.filter((_, index) => !isOut(index))))
  })
  const sum = (value: (fold: Believed) => number): number => folds.reduce((total, fold) => total + value(fold), 0)
  return toBelieved(sum(({ shown }) => shown), sum(({ right }) => right), sum(({ relevant }) => relevant))
}
