/** The real programs on real files, whole ones first. Bad ones are in ffmpeg-damaged.test.ts. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { decodeAudio, probeMedia } from '../../../dist/engine/media/ffmpeg.js'
import { decodeWhole, LIMITS, makeMedia, toSamples } from '../../support/media.ts'
import { AUDIO } from '../../support/paths.ts'
import { childrenLeft, listChildren } from '../../support/processes.ts'
import { RATE_HZ } from '../../support/sound.ts'

const TALK = AUDIO + 'talk.mp3'
const NOTHING_KNOWN = { durationMs: undefined, exactDurationMs: undefined }
/** Puts a shell script in the place of ffmpeg until the test ends. */
function replaceFfmpeg (t: Test, dir: string, script: string): void {
  writeFileSync(`${dir}/ffmpeg`, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { PATH = '' } = process.env
  t.teardown(() => { process.env['PATH'] = PATH })
  process.env['PATH'] = `${dir}:${PATH}`
}

const isMedia = (name: string): boolean => /\.(?:wav|mp3|ogg|flac|m4a|mp4)$/.test(name)

t.test('every fixture decodes to its length', async (t) => {
  const names = readdirSync(AUDIO).filter(isMedia)
  t.equal(names.length, 9)
  for (const name of names) {
    const { duration } = JSON.parse(readFileSync(AUDIO + basename(name).replace(/\.\w+$/, '.json'), 'utf8')) as { duration: number }
    const facts = await probeMedia(AUDIO + name)
    const seconds = toSamples(await decodeWhole(AUDIO + name, {}, facts)).length / RATE_HZ
    t.ok(Math.abs(seconds - duration) < 0.2, `${name} decodes to ${seconds} s of ${duration} s`)
    t.ok(Math.abs((facts.durationMs ?? 0) / 1000 - duration) < 0.2, `${name} says ${facts.durationMs} ms`)
  }
})

t.test('containers with exact durations say so, others do not', async (t) => {
  t.match(await probeMedia(AUDIO + 'en-1.wav'), { durationMs: 6104, exactDurationMs: 6104 })
  t.match(await probeMedia(AUDIO + 'en-2.flac'), { exactDurationMs: 6037 })
  t.match(await probeMedia(AUDIO + 'video.mp4'), { exactDurationMs: Number })
  t.equal((await probeMedia(TALK)).exactDurationMs, undefined)
})

t.test('the sound comes in chunks of whole samples, the same as in one piece', async (t) => {
  const chunks = await Array.fromAsync(decodeAudio(AUDIO + 'en-1.wav', NOTHING_KNOWN, LIMITS))
  t.ok(chunks.length > 1)
  t.ok(chunks.every((chunk) => chunk.length > 0 && chunk.length % 2 === 0))
  const wav = readFileSync(AUDIO + 'en-1.wav')
  t.ok(Buffer.concat(chunks).equals(wav.subarray(wav.indexOf('data') + 8)), 'a file in our own form comes out as it is')
})

t.test('bytes that arrive in the middle of a sample wait for the rest of it', async (t) => {
  const dir = t.testdir()
  // ffmpeg never cuts a sample by itself. The rest follows when the first chunk has arrived.
  replaceFfmpeg(t, dir, `printf abc; until [ -e '${dir}/go-on' ]; do sleep 0.01; done; printf defgh; printf i`)
  const chunks: string[] = []
  for await (const chunk of decodeAudio('any', NOTHING_KNOWN, LIMITS)) {
    if (chunks.length === 0) writeFileSync(`${dir}/go-on`, '')
    t.equal(chunk.length % 2, 0)
    chunks.push(chunk.toString())
  }
  t.equal(chunks[0], 'ab')
  t.equal(chunks.join(''), 'abcdefgh')
})

t.test('any rate and any channels become 16 kHz mono', async (t) => {
  const dir = t.testdir()
  // Sound on the right channel only: mono is both, not the first.
  const wav = makeMedia(
    `${dir}/right.wav`,
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440:sample_rate=44100:duration=3',
    '-af',
    'pan=stereo|c1=c0'
  )
  const samples = toSamples(await decodeWhole(wav))
  t.equal(samples.length, 3 * RATE_HZ)
  t.ok(samples.some((sample) => Math.abs(sample) > 1000))
  const crossings = samples.filter((sample, index) => index > 0 && sample >= 0 && (samples[index - 1] ?? 0) < 0).length
  t.ok(Math.abs(crossings - 3 * 440) <= 3, `${crossings} waves of 440 Hz in 3 s`)
})

t.test('a cover picture does not prevent decoding', async (t) => {
  const dir = t.testdir()
  const png = makeMedia(`${dir}/cover.png`, '-f', 'lavfi', '-i', 'testsrc=size=64x64', '-frames:v', '1')
  const mp3 = makeMedia(
    `${dir}/cover.mp3`,
    '-i',
    AUDIO + 'en-3.mp3',
    '-i',
    png,
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c',
    'copy',
    '-disposition:v',
    'attached_pic'
  )
  const seconds = toSamples(await decodeWhole(mp3)).length / RATE_HZ
  t.ok(Math.abs(seconds - 8.092) < 0.2, `${seconds} s`)
})

t.test('a sound track that starts 2 s into the picture keeps the clock of the picture', async (t) => {
  const dir = t.testdir()
  for (const container of ['mp4', 'mov', 'mkv', 'ts']) {
    const file = makeMedia(
      `${dir}/late.${container}`,
      '-f',
      'lavfi',
      '-i',
      'testsrc=duration=4:size=64x64:rate=10',
      '-itsoffset',
      '2',
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=440:sample_rate=48000:duration=2',
      '-map',
      '0:v',
      '-map',
      '1:a'
    )
    const samples = toSamples(await decodeWhole(file))
    const start = samples.findIndex((sample) => Math.abs(sample) > 300) / RATE_HZ
    t.ok(Math.abs(start - 2) < 0.06, `${container}: the sound starts at ${start} s`)
    t.ok(Math.abs(samples.length / RATE_HZ - 4) < 0.1, `${container}: ${samples.length / RATE_HZ} s in all`)
  }
})

t.test('file names are literal: no options, no protocols, no shell', async (t) => {
  const wav = readFileSync(AUDIO + 'en-1.wav')
  const sound = wav.subarray(wav.indexOf('data') + 8)
  for (const name of ['-version', 'a b;$(touch pwned)', 'concat:a|b', 'sound%03d.wav', 'Grüße 🎙.mp3']) {
    const dir = t.testdir({ [name]: wav })
    t.equal((await decodeWhole(`${dir}/${name}`)).length, sound.length, name)
    t.notOk(existsSync('pwned'))
  }
})

t.test('longer than allowed is media_too_long, and no more than that comes out', async (t) => {
  let bytes = 0
  await t.rejects(async () => {
    for await (const chunk of decodeAudio(AUDIO + 'en-1.wav', NOTHING_KNOWN, { ...LIMITS, maxSeconds: 3 })) bytes += chunk.length
  }, { name: 'JobFailure', code: 'media_too_long' })
  t.ok(bytes <= 3 * RATE_HZ * 2, `${bytes} bytes`)
  t.strictSame(await childrenLeft(), [])
  await t.resolves(decodeWhole(AUDIO + 'en-1.wav', { maxSeconds: 7 }))
})

t.test('a decode that takes too long is stopped: timeout, and the program is gone', async (t) => {
  await t.rejects(decodeWhole(TALK, { timeoutMs: 1 }, NOTHING_KNOWN), { name: 'JobFailure', code: 'timeout' })
  t.strictSame(listChildren(), [])
})

t.test('a reader that stops reading does not keep the program past its time', async (t) => {
  replaceFfmpeg(t, t.testdir(), 'exec yes')
  const chunks = decodeAudio('any', NOTHING_KNOWN, { ...LIMITS, timeoutMs: 1000 })
  t.match(await chunks.next(), { done: false })
  // Nothing is read now: the program stands still on a full pipe until its time is up.
  t.strictSame(await childrenLeft(), [])
  await t.rejects(async () => { while (!(await chunks.next()).done); }, { code: 'timeout' })
})

t.test('an abort stops the program and is passed on as it is', async (t) => {
  const controller = new AbortController()
  const reason = new Error('stopping')
  const chunks = decodeAudio(TALK, NOTHING_KNOWN, { ...LIMITS, signal: controller.signal })
  t.match(await chunks.next(), { done: false })
  t.match(listChildren(), [/ffmpeg/])
  controller.abort(reason)
  await t.rejects(async () => { while (!(await chunks.next()).done); }, reason)
  t.strictSame(listChildren(), [])
})

t.test('an abort that came before stops both programs', async (t) => {
  const reason = new Error('stopping')
  const signal = AbortSignal.abort(reason)
  await t.rejects(probeMedia(TALK, signal), reason)
  await t.rejects(decodeWhole(TALK, { signal }, NOTHING_KNOWN), reason)
  t.strictSame(listChildren(), [])
})

t.test('a reader that stops half-way leaves no program running', async (t) => {
  for await (const chunk of decodeAudio(TALK, NOTHING_KNOWN, LIMITS)) if (chunk.length > 0) break
  t.strictSame(await childrenLeft(), [])
  // One that writes no more would not notice that nobody reads.
  replaceFfmpeg(t, t.testdir(), 'printf abcd; exec sleep 100')
  for await (const chunk of decodeAudio('any', NOTHING_KNOWN, LIMITS)) if (chunk.length > 0) break
  t.strictSame(await childrenLeft(), [])
})

t.test('a missing program is not the fault of the file', async (t) => {
  const dir = t.testdir()
  for (const name of ['prlimit', 'nice']) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), `${dir}/${name}`)
  }
  const { PATH = '' } = process.env
  t.teardown(() => { process.env['PATH'] = PATH })
  process.env['PATH'] = dir
  for (const run of [async () => await probeMedia(TALK), async () => await decodeWhole(TALK, {}, NOTHING_KNOWN)]) {
    const error = await run().then(() => undefined, (error: unknown) => error)
    t.ok(error instanceof Error)
    t.notMatch(error, { code: /unsupported_media|decode_failed/ })
  }
})
