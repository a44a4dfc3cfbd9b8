/** Fits the constants of src/domain/relevance.ts to labelled results. */
import { strengthOf } from '../../dist/domain/relevance.js'
import type { Calibration, Evidence, Rivalry } from '../../dist/domain/relevance.js'

/** A query: its relevant transcripts, and the evidence of each passage that was found. */
export type Case = { relevant: ReadonlySet<string>, found: ReadonlyArray<{ transcript: string, evidence: Evidence }> }
export type Fit = { passage: Calibration, result: Rivalry }
/** `precision`: share of the results from 0.7 on that are relevant. `recall`: share of the relevant transcripts that are among them. */
export type Believed = { shown: number, right: number, relevant: number, precision: number, recall: number }

type Row = { x: readonly number[], isRelevant: boolean }
type Result = { transcript: string, logOdds: number, evidence: Evidence }

/** From this score on, a result is shown by default. */
const BELIEVED = 0.7
/** What the fit wants of results from 0.7 on; a little more than what the check wants. */
const LEAST_PRECISION = 0.81
/** Pulls weights to 0, so that few examples cannot make them large. */
const RIDGE = 0.01
const STEPS = 60
/** Which passage of a transcript is its best depends on the weights, so both are found in turn. */
const ROUNDS = 4

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

const logOddsBy = ({ bias, similarity, coverage }: Calibration, evidence: Evidence): number =>
  bias + similarity * (evidence.similarity ?? 0) + coverage * evidence.coverage

/** The best passage of each transcript, best first. */
function listResults ({ found }: Case, calibration: Calibration): Result[] {
  const best = new Map<string, Result>()
  for (const { transcript, evidence } of found) {
    const logOdds = logOddsBy(calibration, evidence)
    if (logOdds > (best.get(transcript)?.logOdds ?? -Infinity)) best.set(transcript, { transcript, logOdds, evidence })
  }
  return [...best.values()].sort((a, b) => b.logOdds - a.logOdds)
}

function fitPassage (cases: readonly Case[]): Calibration {
  let calibration: Calibration = { bias: 0, similarity: 1, coverage: 1 }
  for (let round = 0; round < ROUNDS; round++) {
    const rows = cases.flatMap((one) => listResults(one, calibration).map(({ transcript, evidence }) => ({
      x: [1, evidence.similarity ?? 0, evidence.coverage], isRelevant: one.relevant.has(transcript)
    })))
    const [bias = 0, similarity = 0, coverage = 0] = fitLogistic(rows, 3)
    calibration = { bias, similarity, coverage }
  }
  return calibration
}

/** Every result with the strength of its rivals. */
function listRivalries (one: Case, calibration: Calibration): Array<{ own: number, rivals: number, isRelevant: boolean }> {
  const results = listResults(one, calibration)
  return results.map(({ transcript, logOdds }) => ({
    own: logOdds,
    rivals: strengthOf(results.flatMap((other) => other.transcript === transcript ? [] : [other.logOdds])),
    isRelevant: one.relevant.has(transcript)
  }))
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

/** Finds the constants for these queries. The bias of `result` puts 0.7 where results are right often enough. */
export function fitCases (cases: readonly Case[]): Fit {
  const passage = fitPassage(cases)
  const rows = cases.flatMap((one) => listRivalries(one, passage))
  const [bias = 0, own = 0, rivals = 0] =
    fitLogistic(rows.map((row) => ({ x: [1, row.own, row.rivals], isRelevant: row.isRelevant })), 3)
  const scored = rows.map((row) => ({ logOdds: bias + own * row.own + rivals * row.rivals, isRelevant: row.isRelevant }))
  const threshold = chooseThreshold(scored)
  return { passage, result: { bias: bias - threshold + Math.log(BELIEVED / (1 - BELIEVED)), own, rivals } }
}

/** What the results from 0.7 on are worth, with the constants of a fit. */
export function checkFit (cases: readonly Case[], { passage, result }: Fit): Believed {
  let [shown, right, relevant] = [0, 0, 0]
  for (const one of cases) {
    relevant += one.relevant.size
    for (const { own, rivals, isRelevant } of listRivalries(one, passage)) {
      if (1 / (1 + Math.exp(-(result.bias + result.own * own + result.rivals * rivals))) < BELIEVED) continue
      shown++
      if (isRelevant) right++
    }
  }
  return { shown, right, relevant, precision: right / Math.max(1, shown), recall: right / Math.max(1, relevant) }
}
