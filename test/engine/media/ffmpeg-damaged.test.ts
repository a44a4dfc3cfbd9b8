/** Files that are no media, damaged, or out to read other files. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { decodeAudio, probeMedia } from '../../../dist/engine/media/ffmpeg.js'
import { decodeWhole, LIMITS, makeMedia } from '../../support/media.ts'
import { AUDIO } from '../../support/paths.ts'
import { listChildren } from '../../support/processes.ts'
import { randomBytes } from '../../support/random.ts'

/** Writes a file that ends after this share of its bytes. */
function cutFile (t: Test, source: string, share: number): string {
  const bytes = readFileSync(source)
  const file = `${t.testdirName}/cut-${share}`
  writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * share)))
  return file
}

t.test('a file that is not media is unsupported_media', async (t) => {
  const dir = t.testdir()
  const png = makeMedia(`${dir}/picture.png`, '-f', 'lavfi', '-i', 'testsrc=size=64x64', '-frames:v', '1')
  const cases: Array<[name: string, bytes: Buffer]> = [
    ['an empty file', Buffer.alloc(0)],
    ['one byte', Buffer.from('x')],
    ['zeros', Buffer.alloc(100_000)],
    ['text', Buffer.from('Dear all, this is no recording.\n'.repeat(100))],
    ['a page', Buffer.from('<!doctype html><title>Sign in</title>'.repeat(20))],
    ['subtitles', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n')],
    ['a picture', readFileSync(png)],
    ...[1, 2, 3].map((seed): [string, Buffer] => [`random bytes ${seed}`, randomBytes(20_000 * seed, seed)])
  ]
  for (const [name, bytes] of cases) {
    writeFileSync(`${dir}/file`, bytes)
    await t.rejects(decodeWhole(`${dir}/file`), { name: 'JobFailure', code: 'unsupported_media' }, name)
  }
  t.strictSame(listChildren(), [])
})

t.test('a picture that moves without a sound is no_audio_stream', async (t) => {
  const file = makeMedia(`${t.testdir()}/silent.mp4`, '-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=10')
  await t.rejects(probeMedia(file), { name: 'JobFailure', code: 'no_audio_stream' })
})

t.test('a sound track without a single sample is decode_failed', async (t) => {
  const file = makeMedia(`${t.testdir()}/none.wav`, '-f', 'lavfi', '-i', 'sine=duration=1', '-af', 'atrim=end_sample=0')
  await t.rejects(decodeWhole(file), { code: 'decode_failed' })
})

t.test('a silent recording is not a failure', async (t) => {
  const file = makeMedia(`${t.testdir()}/silence.wav`, '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '2')
  t.ok((await decodeWhole(file)).every((byte) => byte === 0))
})

t.test('an mp4 that was cut off is decode_failed, wherever its index is', async (t) => {
  const dir = t.testdir()
  const atEnd = makeMedia(`${dir}/end.mp4`, '-i', AUDIO + 'dialogue.mp3', '-c:a', 'aac')
  const atStart = makeMedia(`${dir}/start.mp4`, '-i', atEnd, '-c', 'copy', '-movflags', '+faststart')
  await t.resolves(decodeWhole(atStart))
  for (const source of [atEnd, atStart, AUDIO + 'video.mp4']) {
    await t.rejects(decodeWhole(cutFile(t, source, 0.5)), { name: 'JobFailure', code: 'decode_failed' }, source)
  }
})

t.test('a wav that was cut off is decode_failed', async (t) => {
  t.testdir()
  for (const share of [0.1, 0.8]) {
    await t.rejects(decodeWhole(cutFile(t, AUDIO + 'en-1.wav', share)), { name: 'JobFailure', code: 'decode_failed' }, `at ${share}`)
  }
})

t.test('a wav whose length was never filled in, as recorders write to a pipe, is whole', async (t) => {
  const dir = t.testdir()
  const wav = readFileSync(AUDIO + 'en-1.wav')
  const data = wav.indexOf('data') + 4
  for (const size of [0xffffffff, 0]) {
    wav.writeUInt32LE(size, 4)
    wav.writeUInt32LE(size, data)
    writeFileSync(`${dir}/stream.wav`, wav)
    t.equal((await decodeWhole(`${dir}/stream.wav`)).length, wav.length - data - 4, `length ${size}`)
  }
})

t.test('a flac that was cut off is decode_failed', async (t) => {
  t.testdir()
  for (const share of [0.1, 0.8]) {
    await t.rejects(decodeWhole(cutFile(t, AUDIO + 'en-2.flac', share)), { name: 'JobFailure', code: 'decode_failed' }, `at ${share}`)
  }
})

t.test('a matroska that was cut off is decode_failed', async (t) => {
  const whole = makeMedia(`${t.testdir()}/whole.mkv`, '-i', AUDIO + 'dialogue.mp3')
  await t.rejects(decodeWhole(cutFile(t, whole, 0.5)), { name: 'JobFailure', code: 'decode_failed' })
})

t.test('one broken packet in the middle does not lose the rest', async (t) => {
  const dir = t.testdir()
  const mp3 = readFileSync(AUDIO + 'dialogue.mp3')
  mp3.fill(0xff, 100_000, 100_300)
  writeFileSync(`${dir}/scratched.mp3`, mp3)
  const seconds = (await decodeWhole(`${dir}/scratched.mp3`)).length / 32_000
  t.ok(seconds > 61, `${seconds} s`)
})

t.test('a file cannot make the programs read another one', async (t) => {
  const other = AUDIO + 'en-1.wav'
  const scripts: Array<[name: string, text: string]> = [
    ['x.m3u8', `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:6,\nfile://${other}\n#EXT-X-ENDLIST\n`],
    ['y.m3u8', `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:6,\n${other}\n#EXT-X-ENDLIST\n`],
    ['x.ffconcat', `ffconcat version 1.0\nfile '${other}'\n`],
    ['y.ffconcat', 'ffconcat version 1.0\nfile other.wav\n'],
    ['x.txt', `file '${other}'\n`],
    [
      'x.mpd',
      '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet mimeType="audio/mp4">' +
      `<Representation id="1" bandwidth="1"><BaseURL>${AUDIO}de-1.m4a</BaseURL></Representation></AdaptationSet></Period></MPD>`
    ],
    ['x.sdp', 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n']
  ]
  const dir = t.testdir({ 'other.wav': readFileSync(other) })
  for (const [name, text] of scripts) {
    // Stored media has no ending; some demuxers are chosen by it.
    const file = `${dir}/${name.startsWith('x') ? name : 'upload'}`
    writeFileSync(file, text)
    await t.rejects(probeMedia(file), { code: 'unsupported_media' }, name)
    const sound = Array.fromAsync(decodeAudio(file, { durationMs: undefined, exactDurationMs: undefined }, LIMITS))
    await t.rejects(sound, { code: 'decode_failed' }, `${name}, decoded without a look at it`)
  }
})

t.test('a file that is not there is a failure, not a hang', async (t) => {
  await t.rejects(decodeWhole(`${t.testdir()}/missing.mp3`), { name: 'JobFailure' })
})

/** Bytes of sound in a file of 50 kB with a gap of so many hours in its time stamps. */
async function decodeGap (t: Test, hours: number): Promise<number> {
  const path = `${t.testdir()}/gap.mkv`
  const filter = ['-f', 'lavfi', '-i', 'sine=d=2', '-af', `asetpts=PTS+gt(T\\,1)*${hours}*3600*44100`, '-c:a', 'aac']
  execFileSync('ffmpeg', ['-v', 'error', ...filter, path])
  const facts = { durationMs: undefined, exactDurationMs: undefined }
  let bytes = 0
  for await (const chunk of decodeAudio(path, facts, { maxSeconds: 12 * 3600, timeoutMs: 300_000 })) bytes += chunk.length
  return bytes
}

t.test('a recording that was paused for an hour is decoded, with silence in the pause', async (t) => {
  const seconds = await decodeGap(t, 1) / 2 / 16_000
  t.ok(Math.abs(seconds - 3602) < 1, `${seconds} s`)
})

t.test('a gap of many hours fails instead of taking gigabytes', async (t) => {
  await t.rejects(decodeGap(t, 8), { name: 'JobFailure', code: 'decode_failed' })
})
