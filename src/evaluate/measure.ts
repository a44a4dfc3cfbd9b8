/** Measures Stenobox and its rivals on every recording: one by one, joined, and in rounds of speed. */
import { join } from 'node:path'
import type { Series } from './rounds.js'
import type { EvaluateOptions } from './command-line.js'
import { compareTexts } from './text/differences.js'
import type { Comparison, ListedDifference } from './text/differences.js'
import type { Recording } from './folder.js'
import { joinRecordings } from './joined.js'
import type { Joined } from './joined.js'
import { runPass, runRounds } from './passes.js'
import type { Effort, Pass } from './passes.js'
import { startRivals, stopAll } from './rivals.js'
import type { Rival, RivalOutcome } from './rivals.js'
import type { Sclite } from './sclite.js'
import { measureSpeakers, scoreExports } from './speaker-scores.js'
import type { EngineScore, ExportedScore } from './speaker-scores.js'
import { addSclite, scoreRecording } from './score.js'
import type { Score } from './score.js'
import type { JoinedResult } from './tables.js'
import { splitTokens } from './text/tokens.js'
import { OURS, startOurs } from './transcribe.js'
import type { Model, Outcome, Place, Transcriber } from './transcribe.js'

export type Measurements = {
  scores: Score[]
  /** For the recordings one at a time: of Stenobox, then of each rival. */
  efforts: Effort[]
  /** Of the server, after these recordings. */
  memory: { residentBytes: number, peakBytes: number }
  /** Absent if it was not asked for, or if fewer than two recordings can be joined. */
  joined?: JoinedResult
  speed: Series[]
  /** Of the recordings that say who speaks when: as exported, and by the engine alone. */
  speakers: ExportedScore[]
  speakerEngine: EngineScore[]
  /** Absent: not asked for. */
  differences?: ListedDifference[]
  notes: string[]
}
type Programs = { ours: Transcriber<Outcome>, rivals: readonly Rival[], sclite: Sclite | undefined }

/** Throws an Error when a program cannot be started, or is lost. */
export async function measureAll (
  recordings: readonly Recording[], options: EvaluateOptions, model: Model, sclite: Sclite | undefined, place: Place
): Promise<Measurements> {
  const { rivals, notes } = await startRivals(options, model, place)
  const running: Array<Transcriber<unknown>> = [...rivals]
  try {
    const ours = await startOurs(options, place)
    running.unshift(ours)
    const programs = { ours, rivals, sclite }
    const { scores, efforts, outcomes } = await count(recordings, programs, place)
    const memory = { residentBytes: ours.residentBytes(), peakBytes: efforts[0]?.peakBytes ?? NaN }
    const joined = options.joined === 'also' ? await joinRecordings(recordings.filter(isFromFolders(options)), place) : undefined
    if (options.joined === 'also' && !joined) notes.push('There is no joined recording: fewer than two recordings have a reference.')
    const together = joined && await measureJoined(joined, programs, place)
    const apart = recordings.filter((_, index) => isComplete(scores[index]))
    const works = [apart, joined && isComplete(together?.score) ? [joined.recording] : []].filter((work) => work.length > 0)
    return {
      scores, efforts, memory, notes,
      speakers: scoreExports(recordings, outcomes),
      speakerEngine: await measureSpeakers(recordings, outcomes, options.modelsDir, place),
      ...(together && { joined: together }),
      speed: await measureSpeed(running, works, options.rounds, place),
      ...(options.differences === 'list' && { differences: listDifferencesOf(recordings, scores, joined, together?.score) })
    }
  } finally {
    await stopAll(running)
  }
}

/** False for synthesised recordings, which are not joined. */
function isFromFolders ({ synthesise }: EvaluateOptions): (recording: Recording) => boolean {
  return ({ path }) => synthesise === undefined || !path.startsWith(join(synthesise, '/'))
}

type Counted = { scores: Score[], efforts: Effort[], outcomes: readonly Outcome[] }

async function count (recordings: readonly Recording[], { ours, rivals, sclite }: Programs, { scratch, log }: Place): Promise<Counted> {
  const own = await runPass(ours, recordings, log)
  const theirs: Array<Pass<RivalOutcome>> = []
  for (const rival of rivals) theirs.push(await runPass(rival, recordings, log))
  const plain = recordings.map((recording, index) => {
    const outcomes = theirs.map(({ effort, outcomes }) => [effort.name, outcomes[index] ?? { failure: 'not_run' }] as const)
    return scoreRecording(recording, own.outcomes[index] ?? { failure: 'not_run' }, Object.fromEntries(outcomes))
  })
  const scores = sclite ? await addSclite(plain, recordings, sclite, join(scratch, `sclite-${recordings.length}`)) : plain
  return { scores, efforts: [own.effort, ...theirs.map(({ effort }) => effort)], outcomes: own.outcomes }
}

async function measureJoined ({ recording }: Joined, programs: Programs, place: Place): Promise<JoinedResult> {
  const { scores: [score], efforts } = await count([recording], programs, place)
  return { score: score as Score, efforts }
}

/** True if no program failed: one that ends early would look fast. */
function isComplete (score: Score | undefined): boolean {
  return score !== undefined && score.failure === undefined && Object.values(score.rivals).every((rival) => !('failure' in rival))
}

async function measureSpeed (
  running: ReadonlyArray<Transcriber<unknown>>, works: ReadonlyArray<readonly Recording[]>, rounds: number, { log }: Place
): Promise<Series[]> {
  const series: Series[] = []
  for (const work of rounds === 0 ? [] : works) {
    series.push(await runRounds(running, work, work.length === 1 ? work[0]?.name ?? '' : `${work.length} recordings at once`, rounds, log))
  }
  return series
}

function listDifferencesOf (
  recordings: readonly Recording[], scores: readonly Score[], joined: Joined | undefined, joinedScore: Score | undefined
): ListedDifference[] {
  const apart = recordings.flatMap((recording, index) => {
    const score = scores[index]
    return score ? compareTexts(toComparison([recording], score)) : []
  })
  if (!joined || !joinedScore) return apart
  const together = compareTexts(toComparison(joined.parts, joinedScore, joined.recording.reference?.unit))
  return [...apart, ...together.map(({ file, ...rest }) => ({ file: `${file}, joined`, ...rest }))]
}

function toComparison (parts: readonly Recording[], { text, unit, rivals }: Score, counted = unit): Comparison {
  if (counted === undefined) return { parts: [], heard: [] }
  const theirs = Object.entries(rivals).map(([system, result]) => [system, 'text' in result ? result.text : undefined] as const)
  const texts = [[OURS, text] as const, ...theirs]
  return {
    parts: parts.map(({ name, reference }) => ({ name, said: splitTokens(reference?.text ?? '', counted) })),
    heard: texts.flatMap(([system, heard]) => heard === undefined ? [] : [{ system, tokens: splitTokens(heard, counted) }])
  }
}
