/** Recordings with two channels, from the decode to the labels: over real stores and files, with engines that hear loud sound as words. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { JobOptions } from '../../dist/domain/job.js'
import { SpeechError } from '../../dist/domain/speech-error.js'
import { FRAME_SAMPLES } from '../../dist/domain/speech-spans.js'
import type { WorkClaim } from '../../dist/domain/work.js'
import type { SpeechEngine } from '../../dist/engine/speech/engine.js'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'
import { createTestSpeakers } from '../support/speaker-engine.ts'
import { joinSound, RATE_HZ, silence, speech } from '../support/sound.ts'
import { openSteps } from '../support/steps.ts'

const NO_ABORT = new AbortController().signal
const LIMITS = [{ maxBytes: Infinity, maxActive: 99, maxPerOwner: 99, maxRunning: 99 }]
const CALLER = { ownerId: 1, plan: 'enterprise' } as const

type Source = Parameters<SpeechEngine['transcribe']>[0]
const samplesOf = ({ audioPath, spans }: Source): Int16Array => joinSound(...spans.map(({ startSample, endSample }) =>
  new Int16Array(new Uint8Array(readFileSync(audioPath).subarray(2 * startSample, 2 * endSample)).buffer)))
const isLoud = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > 1000)

const detectSpeech: SpeechEngine['detectSpeech'] = async ({ leadFrames, ...source }) => {
  const samples = samplesOf(source)
  const frames = Array.from({ length: Math.ceil(samples.length / FRAME_SAMPLES) - leadFrames }, (_, index) =>
    isLoud(samples.subarray((leadFrames + index) * FRAME_SAMPLES, (leadFrames + index + 1) * FRAME_SAMPLES)))
  const probabilities = Float32Array.from(frames, (loud) => loud ? 0.95 : 0.01)
  const levelsDb = probabilities.map((value) => value > 0.5 ? -20 : -90)
  return { probabilities, freshProbabilities: probabilities, levelsDb, state: new Float32Array(1) }
}

/** A word for each half second of loud sound, from where it begins. Every run of words is a segment. */
const transcribe: SpeechEngine['transcribe'] = async (source) => {
  const samples = samplesOf(source)
  type Token = { bytes: string, startMs: number, endMs: number, probability: number }
  const segments: Array<{ startMs: number, endMs: number, tokens: Token[] }> = []
  for (let [startMs, endMs] = [0, 0]; startMs < samples.length / 16; startMs = Math.max(startMs + 1, endMs)) {
    if (!isLoud(samples.subarray(startMs * 16, (startMs + 1) * 16))) continue
    endMs = startMs + 500
    const last = segments.at(-1)
    const token = { bytes: ' word', startMs, endMs, probability: 1 }
    if (last && startMs - last.endMs < 100) Object.assign(last, { endMs, tokens: [...last.tokens, token] })
    else segments.push({ startMs, endMs, tokens: [token] })
  }
  return { segments, language: 'en', isStarter: false }
}

function interleave (first: Int16Array, second: Int16Array): Buffer {
  const both = new Int16Array(2 * first.length)
  for (const [index, sample] of first.entries()) both.set([sample, second[index] ?? 0], 2 * index)
  return Buffer.from(both.buffer)
}

/** Ten seconds: the right channel at 1 to 3 s, the left one at 4 to 6, both at 7 to 8. */
const CALL = interleave(joinSound(silence(4), speech(2), silence(1), speech(1, 3), silence(2)),
  joinSound(silence(1), speech(2, 2), silence(4), speech(1, 4), silence(2)))

type More = { detect?: SpeechEngine['detectSpeech'], channels?: number, engine?: Partial<SpeakerEngine> }

async function build (t: Test, sound: Buffer, more: More = {}) {
  const rooms: number[] = []
  const speakers = createTestSpeakers(more.engine)
  const steps = await openSteps(t, {
    channels: more.channels ?? 2,
    decode: async function * () { for (let at = 0; at < sound.length; at += 64_000) yield sound.subarray(at, at + 64_000) },
    speech: { detectSpeech: more.detect ?? detectSpeech, transcribe },
    speakerEngine: speakers.engine,
    requireRoom: async (bytes) => { rooms.push(bytes) }
  })
  const { decoding, transcribing, diarizing, completeAll, jobs, work } = steps
  const must = (claim: WorkClaim | undefined): WorkClaim => {
    if (!claim) throw new Error('no work waits')
    return claim
  }
  const decode = async (): Promise<void> => { await decoding.decode(must(decoding.claim(LIMITS)), NO_ABORT, () => {}) }
  async function runPieces (id: number): Promise<void> {
    while (work.hasOpen({ jobId: id, kind: 'speakers' })) {
      await diarizing.run(must(diarizing.claim({ maxDurationMs: Number.MAX_SAFE_INTEGER })), NO_ABORT)
    }
  }
  return {
    ...steps,
    rooms,
    decode,
    runPieces,
    files: (id: number): boolean[] =>
      ['audio.pcm', 'audio-1.pcm', 'audio-2.pcm'].map((name) => existsSync(`${steps.dataDir}/work/${id}/${name}`)),
    add: (options: Partial<JobOptions> = {}): number => steps.addJob('a', { options: { sttQuality: 'fast', language: 'en', ...options } }),
    async finish (id: number): Promise<void> {
      while (work.hasOpen({ jobId: id, kind: 'transcribe' })) await transcribing.transcribe(must(transcribing.claim()), NO_ABORT)
      await runPieces(id)
      await completeAll()
      t.equal(jobs.find(id)?.status, 'completed')
    },
    outline: (id: number) => steps.transcripts.list(id).map(({ channel, speaker, startMs, words }) =>
      [channel, speaker, Math.round(startMs / 1000), words.length, words.filter(({ isOverlap }) => isOverlap).length])
  }
}

t.test('a call is transcribed by channel, in the order of time, and labelled by who is heard first', async (t) => {
  const call = await build(t, CALL)
  const id = call.add()
  await call.decode()
  t.strictSame(call.files(id), [false, true, true])
  t.match(call.jobs.find(id), { channels: 2, durationMs: 10_000 })
  await call.finish(id)
  t.strictSame(call.outline(id),
    [[2, 'Speaker 1', 1, 4, 0], [1, 'Speaker 2', 4, 4, 0], [1, 'Speaker 2', 7, 2, 2], [2, 'Speaker 1', 7, 2, 2]])
  t.match(call.speakerService.list(id, CALLER), { status: 'done', speakers: [{ label: 'Speaker 1' }, { label: 'Speaker 2' }] })
  const month = call.usage.findAudio(1, 0)
  t.equal(month, 10_000, 'minutes are counted once')
  t.strictSame(call.files(id), [false, false, false])
})

t.test('progress counts both channels, and a process that dies changes nothing', async (t) => {
  const call = await build(t, CALL)
  const id = call.add()
  await call.decode()
  const windows = call.windows.list(id, 'speech')
  t.strictSame(windows.map(({ channel }) => channel), [1, 2])
  const open = windows.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0) / 16
  t.ok(Math.abs((call.jobs.find(id)?.doneMs ?? -1) - (10_000 - open / 2)) <= 1)
  await call.transcribing.transcribe(call.transcribing.claim()!, NO_ABORT)
  call.stages.decodeAgain({ jobId: id, run: 0 } as WorkClaim)
  await call.decode()
  t.strictSame(call.windows.list(id, 'speech').map(({ isDone, ...window }) => window), windows.map(({ isDone, ...window }) => window))
  await call.finish(id)
  t.equal(call.jobs.find(id)?.doneMs, 10_000)
  t.equal(call.outline(id).length, 4)
})

t.test('the option forces channels apart or together; the same sound is never transcribed twice', async (t) => {
  const mixed = await build(t, CALL)
  const id = mixed.add({ channels: 'mixed' })
  await mixed.decode()
  t.strictSame(mixed.files(id), [true, false, false])
  t.equal(statSync(`${mixed.dataDir}/work/${id}/audio.pcm`).size, CALL.length / 2)
  await mixed.finish(id)
  t.strictSame(mixed.outline(id).map(([channel]) => channel), [undefined, undefined, undefined])

  const room = interleave(speech(6), speech(6, 2))
  for (const [sound, options, expected] of [
    [room, {}, 1], [room, { channels: 'separate' }, 2], [interleave(speech(6), speech(6)), { channels: 'separate' }, 1],
    [interleave(speech(3), silence(3)), {}, 1], [interleave(silence(2), silence(2)), { channels: 'separate' }, 1]
  ] as const) {
    const one = await build(t, sound)
    const id = one.add(options)
    await one.decode()
    await one.finish(id)
    t.equal(one.jobs.find(id)?.channels, expected)
  }
})

t.test('one channel, or six, are mixed by ffmpeg', async (t) => {
  for (const channels of [1, 6]) {
    const one = await build(t, Buffer.from(speech(2).buffer), { channels })
    const id = one.add({ channels: 'separate' })
    await one.decode()
    t.match([one.jobs.find(id)?.channels, one.files(id), one.jobs.find(id)?.durationMs], [1, [true, false, false], 2000])
  }
})

t.test('a copy with its sign changed is not lost in the mix', async (t) => {
  const one = await build(t, interleave(speech(4), speech(4).map((sample) => -sample)))
  const id = one.add()
  await one.decode()
  await one.finish(id)
  t.equal(one.outline(id).reduce((sum, [, , , words]) => sum + Number(words), 0), 8)
})

t.test('a channel without a voice is mixed with the other one', async (t) => {
  const hums = await build(t, CALL, {
    detect: async (input) => {
      const heard = await detectSpeech(input)
      if (input.audioPath.includes('audio-2')) heard.probabilities.fill(0)
      return heard
    }
  })
  const id = hums.add()
  await hums.decode()
  t.strictSame([hums.files(id), hums.jobs.find(id)?.channels], [[true, false, false], 1])
})

t.test('without speakers a call is still transcribed by channel', async (t) => {
  const call = await build(t, CALL)
  const id = call.add({ speakers: false })
  await call.decode()
  await call.finish(id)
  t.strictSame(call.outline(id).map(([channel, speaker]) => [channel, speaker]),
    [[2, undefined], [1, undefined], [1, undefined], [2, undefined]])
})

t.test('more speakers than channels are told apart by their voices, also afterwards', async (t) => {
  const call = await build(t, CALL)
  const id = call.add({ speakers: { min: 3, max: 3 } })
  await call.decode()
  t.strictSame(call.files(id), [true, true, true])
  await call.finish(id)
  t.strictSame(call.outline(id).map(([, , , , overlaps]) => overlaps), [0, 0, 2, 2], 'words at once stay marked')
  const byVoice = call.outline(id).map(([, speaker]) => speaker)
  await call.speakerService.identify(id, CALLER, true).catch((error: unknown) => { t.fail(String(error)) })
  await call.runPieces(id)
  t.strictSame(call.outline(id).map(([, speaker]) => speaker), ['Speaker 1', 'Speaker 2', 'Speaker 2', 'Speaker 1'])
  t.notSame(byVoice, ['Speaker 1', 'Speaker 2', 'Speaker 2', 'Speaker 1'])
})

t.test('speakers found again by their voices leave the segments of a call as they are', async (t) => {
  const call = await build(t, CALL)
  const id = call.add()
  await call.decode()
  await call.finish(id)
  const segments = call.db.prepare('SELECT window_idx, idx, revision FROM segment ORDER BY window_idx, idx')
  call.db.prepare('UPDATE segment SET revision = 7').run()
  const [before, stages] = [segments.all(), call.jobs.listStages(id)]
  call.storeMedia(id)
  await call.speakerService.identify(id, CALLER, { min: 3, max: 3 })
  await call.runPieces(id)
  t.strictSame([segments.all(), call.jobs.listStages(id)], [before, stages])
  t.match(call.speakers.find(id), { state: 'done' })
})

t.test('channels are brought together when speakers are given up after the last window', async (t) => {
  const call = await build(t, CALL, { engine: { observe: async () => { throw new SpeechError('model_unavailable', 'broken') } } })
  const id = call.add({ speakers: { min: 3, max: 3 } })
  await call.decode()
  await call.finish(id)
  t.match(call.speakers.find(id), { state: 'failed' })
  t.strictSame(call.outline(id).map(([channel, , seconds, , overlaps]) => [channel, seconds, overlaps]),
    [[2, 1, 0], [1, 4, 0], [1, 7, 2], [2, 7, 2]])
})

t.test('free disk is checked for every byte that is written', async (t) => {
  const long = interleave(speech(40), speech(40, 2))
  const stereo = await build(t, long)
  stereo.add()
  await stereo.decode()
  t.ok(stereo.rooms.reduce((sum, bytes) => sum + bytes, 0) >= long.length + long.length / 2, `${RATE_HZ} Hz, both files and the mix`)
})
