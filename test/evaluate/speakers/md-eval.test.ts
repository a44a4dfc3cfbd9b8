/** Speaker errors as NIST's md-eval counts them, from Debian's package sctk. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { errorRate, measureSpeakerErrors } from '../../../dist/evaluate/speakers/der.js'
import type { ErrorRules, SpeakerErrors } from '../../../dist/evaluate/speakers/der.js'
import type { LabelledSpan } from '../../../dist/evaluate/speakers/rttm.js'
import { RULES } from '../../../dist/evaluate/speaker-scores.js'
import { AUDIO } from '../../support/paths.ts'
import { createRandom } from '../../support/random.ts'

const isInstalled = spawnSync('sctk', ['md-eval', '-h'], { encoding: 'utf8' }).stdout?.includes('md-eval') ?? false
const NEEDS = { skip: isInstalled ? false : 'needs Debian\'s package sctk' }

type Talk = { durationMs: number, reference: LabelledSpan[], hypothesis: LabelledSpan[] }

const toRttm = (spans: readonly LabelledSpan[]): string => spans
  .map(({ startMs, endMs, speaker }) => `SPEAKER talk 1 ${startMs / 1000} ${(endMs - startMs) / 1000} <NA> <NA> ${speaker} <NA>\n`).join('')

/** What md-eval counts, in percent of the time of speech: all errors, missed, false alarms, confused. */
function countByNist (directory: string, { durationMs, reference, hypothesis }: Talk, { collarMs, overlap }: ErrorRules): number[] {
  const [said, heard, whole] = ['said.rttm', 'heard.rttm', 'whole.uem'].map((name) => `${directory}/${name}`)
  writeFileSync(said ?? '', toRttm(reference))
  writeFileSync(heard ?? '', toRttm(hypothesis))
  writeFileSync(whole ?? '', `talk 1 0 ${durationMs / 1000}\n`)
  const args = ['md-eval', ...overlap === 'leave' ? ['-1'] : [], '-c', `${collarMs / 1000}`, '-r', said, '-s', heard, '-u', whole]
  const { stdout } = spawnSync('sctk', args.map(String), { encoding: 'utf8' })
  const read = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1])
  return [
    read(/OVERALL SPEAKER DIARIZATION ERROR = +([\d.]+)/), read(/MISSED SPEAKER TIME = +[\d.]+ secs \( *([\d.]+)/),
    read(/FALARM SPEAKER TIME = +[\d.]+ secs \( *([\d.]+)/), read(/SPEAKER ERROR TIME = +[\d.]+ secs \( *([\d.]+)/)
  ]
}

const toPercents = (errors: SpeakerErrors): number[] =>
  [errorRate(errors), ...[errors.missedMs, errors.falseAlarmMs, errors.confusionMs].map((ms) => ms / errors.speechMs)]
    .map((share) => 100 * share)

/**
 * Turns of several people, two of whom sometimes talk at once, and the same turns with wrong times, wrong speakers, some missing. No turn
 * overlaps one of the same person, which RTTM does not allow.
 */
function makeTalk (seed: number): Talk {
  const random = createRandom(seed)
  const between = (low: number, high: number): number => Math.round(low + (high - low) * random())
  const people = between(2, 5)
  const reference: LabelledSpan[] = []
  const hypothesis: LabelledSpan[] = []
  let [ms, person, lastEndMs] = [between(0, 2000), 0, 0]
  for (let turn = 0; turn < 40; turn++) {
    person = (person + between(1, people - 1)) % people
    const span = { startMs: ms, endMs: ms + between(300, 6000), speaker: `p${person}` }
    reference.push(span)
    ms = Math.max(lastEndMs, ms + 100, span.endMs + between(-900, 1500))
    lastEndMs = span.endMs
    if (random() < 0.1) continue
    const startMs = Math.max(0, span.startMs + between(-400, 400))
    const heard = random() < 0.15 ? `v${between(0, people)}` : span.speaker.replace('p', 'v')
    hypothesis.push({ startMs, endMs: Math.max(startMs + 50, span.endMs + between(-400, 400)), speaker: heard })
  }
  return { durationMs: ms + 10_000, reference, hypothesis }
}

/** The dialogue of the fixtures, heard by somebody who takes every fifth sentence for the other speaker and answers a little late. */
function readDialogue (): Talk {
  const { duration, sentences } = JSON.parse(readFileSync(`${AUDIO}dialogue.json`, 'utf8')) as {
    duration: number, sentences: Array<{ start: number, end: number, speaker: string }>
  }
  const reference = sentences.map(({ start, end, speaker }) =>
    ({ startMs: Math.round(1000 * start), endMs: Math.round(1000 * end), speaker }))
  const hypothesis = reference.map(({ startMs, endMs, speaker }, index) =>
    ({ startMs: startMs + 130, endMs: endMs + 90, speaker: index % 5 === 4 ? 'A' : speaker }))
  return { durationMs: 1000 * duration, reference, hypothesis }
}

t.test('errors agree with md-eval to 0.1 points', NEEDS, async (t) => {
  const directory = t.testdir()
  const talks = [readDialogue(), ...[1, 2, 3, 4, 5].map(makeTalk)]
  for (const [index, talk] of talks.entries()) {
    for (const rules of RULES) {
      const ours = toPercents(measureSpeakerErrors(talk.reference, talk.hypothesis, talk.durationMs, rules))
      const theirs = countByNist(directory, talk, rules)
      t.ok((theirs[0] ?? 0) > 1, 'there are errors to compare')
      const far = Math.max(...ours.map((value, index) => Math.abs(value - (theirs[index] ?? NaN))))
      const name = `talk ${index}, ${JSON.stringify(rules)}`
      t.ok(far <= 0.1, `${name}: ${ours.map((value) => value.toFixed(2)).join(' ')} and ${theirs.join(' ')}`)
    }
  }
})
