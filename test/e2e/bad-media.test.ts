/** Media that cannot be transcribed: a clear failure, nothing left behind, and the next job goes on. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

const ffmpeg = (...args: string[]): void => { execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]) }

/** The bytes of an mp4 with its index at the end or at the start, cut in the middle. */
function truncatedMp4 (directory: string, ...flags: string[]): Buffer {
  ffmpeg('-i', AUDIO + 'dialogue.mp3', '-c:a', 'aac', ...flags, directory + '/whole.mp4')
  const whole = readFileSync(directory + '/whole.mp4')
  return whole.subarray(0, Math.floor(whole.length / 2))
}

t.test('bad media fails with its code while good media completes', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir, { STENOBOX_MAX_MEDIA_SECONDS: '120' })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=2:size=64x64:rate=10', dataDir + '/silent-film.mp4')
  const cases: Array<[name: string, code: string, bytes: Buffer]> = [
    ['text', 'unsupported_media', Buffer.from('Dear all, this is no recording.\n'.repeat(100))],
    ['random bytes', 'unsupported_media', Buffer.alloc(5000, 'k7#\x00\xfe')],
    ['one byte', 'unsupported_media', Buffer.from('x')],
    ['a playlist that names another file', 'unsupported_media', Buffer.from('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')],
    ['video without sound', 'no_audio_stream', readFileSync(dataDir + '/silent-film.mp4')],
    ['mp4 cut off, index at the end', 'decode_failed', truncatedMp4(dataDir)],
    ['mp4 cut off, index at the start', 'decode_failed', truncatedMp4(dataDir, '-movflags', '+faststart')],
    ['longer than allowed', 'media_too_long', readFileSync(AUDIO + 'talk.mp3')]
  ]
  const good = client.uploadFile(AUDIO + 'en-1.wav')
  await Promise.all(cases.map(async ([name, code, bytes]) => {
    const job = await client.ended(await client.upload(bytes))
    t.match(job, { status: 'failed', failure: { code, message: /\w+\.$/ } }, name)
    t.notMatch(job.failure?.message, /\/|ffmpeg|ffprobe/, `${name}: no path and no program in the message`)
    t.notOk('transcriptText' in job)
  }))
  t.match(await client.ended(await good), { status: 'completed' })
  // A job is completed first and cleaned up behind it.
  await waitFor('the removal of decoded sound', () => readdirSync(dataDir + '/work').length === 0)
  t.strictSame(readdirSync(dataDir + '/work'), [], 'no decoded sound is left')
  t.strictSame(readdirSync(dataDir + '/uploads'), [])
})

t.test('silence and near-silence complete with an empty text', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '40', dataDir + '/silence.wav')
  ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '0.05', dataDir + '/blink.wav')
  for (const file of ['silence.wav', 'blink.wav']) {
    const job = await client.ended(await client.uploadFile(`${dataDir}/${file}`))
    t.match(job, { status: 'completed', progress: 100, transcriptText: '' }, file)
  }
  const { body: { data } } = await client.request('GET', '/api/v1/transcriptions/1')
  t.notHas(data, { language: String }, 'a recording without speech has no language')
})
