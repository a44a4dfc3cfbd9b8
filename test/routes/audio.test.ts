/** Recordings over HTTP: parts of files, and their sound as WAV, of real formats. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { makeMedia, toSamples } from '../support/media.ts'
import { AUDIO } from '../support/paths.ts'
import { childrenLeft, listChildren } from '../support/processes.ts'
import { serveRecordings } from '../support/recordings.ts'
import { waitFor } from '../support/wait.ts'

function madeFolder (t: Test): string {
  mkdirSync(`${t.testdirName}/made`)
  return `${t.testdirName}/made`
}

/** Two hours of sound that is different every 20 seconds, without a table for jumps. Encoding all of it would take minutes. */
function makeLong (folder: string): string {
  const frames = Array.from({ length: 12 }, (_, index) => {
    const tone = `aevalsrc='0.5*sin(2*PI*(${300 + 90 * index}+8*t)*t)':d=20:s=16000`
    const piece = makeMedia(`${folder}/${index}.mp3`, '-f', 'lavfi', '-i', tone, '-b:a', '24k', '-write_xing', '0', '-id3v2_version', '0')
    return Buffer.concat(Array<Buffer>(30).fill(readFileSync(piece)))
  })
  writeFileSync(`${folder}/long.mp3`, Buffer.concat(frames))
  return `${folder}/long.mp3`
}

/** How far two sounds are apart on average, as a part of how loud they are. What nobody hears does not count. */
function differenceOf (one: Buffer, other: Buffer): number {
  const [a, b] = [toSamples(one), toSamples(other)]
  let [difference, level] = [0, 20 * a.length]
  for (const [index, value] of a.entries()) {
    difference += Math.abs(value - (b[index] ?? 0))
    level += Math.abs(value)
  }
  return difference / level
}

t.test('the file is sent whole, in parts, and not at all to whom has it', async (t) => {
  const { add, get, bytesOf } = await serveRecordings(t)
  const { id, bytes } = await add(`${AUDIO}en-3.mp3`)
  const whole = await get(id)
  t.equal(whole.status, 200)
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'audio/mpeg', 'content-length': String(bytes.length), 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox", 'content-disposition': 'inline; filename="talk <1>.mp3"',
    'cache-control': 'no-store'
  })
  t.ok((await bytesOf(whole)).equals(bytes))
  const etag = whole.headers.get('etag') ?? ''
  for (const [range, start, end] of [['0-99', 0, 100], ['100-', 100, bytes.length], ['-7', bytes.length - 7, bytes.length]] as const) {
    const part = await get(id, '', { range: `bytes=${range}` })
    t.equal(part.status, 206)
    t.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${bytes.length}`)
    t.ok((await bytesOf(part)).equals(bytes.subarray(start, end)), range)
  }
  t.equal((await get(id, '', { range: 'bytes=0-9', 'if-range': etag })).status, 206)
  t.equal((await get(id, '', { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
  t.equal((await get(id, '', { 'if-none-match': etag })).status, 304)
  const beyond = await get(id, '', { range: `bytes=${bytes.length}-` })
  t.equal(beyond.status, 416)
  t.equal(beyond.headers.get('content-range'), `bytes */${bytes.length}`)
  t.match(await beyond.json(), { success: false, code: 'range_not_satisfiable' })
  const head = await get(id, '', {}, { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-length'), String(bytes.length))
})

t.test('every format becomes WAV, and every part is at its place to the sample', async (t) => {
  const { add, get, bytesOf } = await serveRecordings(t)
  const folder = madeFolder(t)
  const phone = makeMedia(`${folder}/phone.wav`, '-i', `${AUDIO}en-1.wav`, '-ac', '2', '-ar', '8000', '-c:a', 'pcm_alaw')
  const wma = makeMedia(`${folder}/talk.wma`, '-i', `${AUDIO}en-2.flac`, '-c:a', 'wmav2')
  const vbr = makeMedia(`${folder}/vbr.mp3`, '-i', `${AUDIO}talk.mp3`, '-c:a', 'libmp3lame', '-q:a', '4', '-write_xing', '0')
  const late = makeMedia(`${folder}/late.ts`, '-f', 'lavfi', '-i', 'color=black:d=9:s=64x64', '-itsoffset', '1.5', '-i', `${AUDIO}en-1.wav`,
    '-map', '0:v', '-map', '1:a', '-c:v', 'mpeg2video', '-c:a', 'mp2')
  const stored = ['en-1.wav', 'en-3.mp3', 'de-1.m4a', 'video.mp4', 'es-1.ogg'].map((name) => AUDIO + name)
  for (const path of [...stored, phone, wma, vbr, late]) {
    const name = path.split('/').at(-1)
    const { id, sound } = await add(path)
    const whole = await get(id, '?as=wav')
    t.equal(whole.headers.get('content-type'), 'audio/wav')
    t.equal(whole.headers.get('content-length'), String(44 + sound.length))
    const bytes = await bytesOf(whole)
    t.ok(bytes.subarray(44).equals(sound), `${name}: the sound that was transcribed`)
    t.equal(bytes.readUInt32LE(40), sound.length)
    for (const share of [0.3, 0.55, 0.9]) {
      const start = 45 + Math.floor(sound.length * share / 2) * 2
      const end = Math.min(start + 16_001, bytes.length)
      const reply = await get(id, '?as=wav', { range: `bytes=${start}-${end - 1}` })
      const part = await bytesOf(reply)
      t.equal(reply.status, 206)
      t.equal(part.length, end - start)
      const length = end - start - 1 & ~1
      const apart = (shift: number): number =>
        differenceOf(part.subarray(1, 1 + length - 4), bytes.subarray(start + 1 + shift, start + 1 + shift + length - 4))
      // Codecs and resamplers remember what came before, which a part lacks; but no other place fits better.
      const far = apart(0)
      const isPlaced = far < 0.02 || (far < 0.2 && far < Math.min(apart(-2), apart(2)))
      t.ok(isPlaced, `${name} from ${share}: ${(100 * far).toFixed(2)} % apart`)
    }
    t.ok((await bytesOf(await get(id, '?as=wav', { range: 'bytes=10-49' }))).equals(bytes.subarray(10, 50)), `${name}: header and sound`)
  }
  t.strictSame(await childrenLeft(), [])
})

t.test('a recording of hours can be heard from any moment on, and leaving ends its program', async (t) => {
  const { add, appliance, get, bytesOf } = await serveRecordings(t)
  const path = makeLong(madeFolder(t))
  const { id, sound, durationMs } = await add(path)
  t.ok(durationMs > 2 * 3_600_000, `${durationMs} ms`)
  for (const hours of [0, 0.7, 1.51, 1.99]) {
    const start = 44 + Math.floor(hours * 3_600_000) * 32
    const part = await bytesOf(await get(id, '?as=wav', { range: `bytes=${start}-${start + 31_999}` }))
    t.ok(differenceOf(part, sound.subarray(start - 44, start - 44 + 32_000)) < 0.02, `from hour ${hours}`)
  }
  t.strictSame(await childrenLeft(), [])
  const controller = new AbortController()
  const reply = await get(id, '?as=wav', {}, { signal: controller.signal })
  await reply.body?.getReader().read()
  t.equal(listChildren().length, 1)
  controller.abort()
  t.strictSame(await childrenLeft(), [], 'nobody listens any more')
  const streams = await Promise.all(Array.from({ length: 5 }, async () => await get(id, '?as=wav')))
  await waitFor('the oldest to end', () => listChildren().length <= 3)
  t.ok(appliance.playback.count() <= 3, 'an owner has three at once')
  appliance.playback.end()
  await Promise.allSettled(streams.map(async (each) => await each.arrayBuffer()))
  t.strictSame(await childrenLeft(), [])
  const last = await get(id, '?as=wav')
  await appliance.removal.remove(id, 1)
  await t.rejects(last.arrayBuffer(), 'a deleted recording is not heard to its end')
  t.strictSame(await childrenLeft(), [])
})

t.test('peaks are stored while decoding, or made at the first request', async (t) => {
  const { add, call, key } = await serveRecordings(t)
  const { id, stores, durationMs } = await add(`${AUDIO}talk.mp3`)
  const ask = async () => await call(key, 'GET', `/api/v1/transcriptions/${id}/peaks`)
  t.equal(stores.db.prepare('SELECT count(*) FROM peaks').pluck().get(), 0)
  const first = await ask()
  t.match(first, { status: 200, body: { data: { perSecond: 50, durationSeconds: durationMs / 1000 } } })
  const peaks = Buffer.from(String(first.body.data['peaks']), 'base64')
  t.equal(peaks.length, Math.ceil(durationMs / 20))
  t.ok(Math.max(...peaks) > 20 && Math.max(...peaks) <= 127)
  t.equal(stores.db.prepare('SELECT count(*) FROM peaks').pluck().get(), 1)
  t.strictSame((await ask()).body.data, first.body.data)
})

t.test('what is not there any more, or not yet, or belongs to somebody else', async (t) => {
  const { add, call, get, key } = await serveRecordings(t)
  const { id, stores, mediaId } = await add(`${AUDIO}en-1.wav`)
  const status = async (query = '') => {
    const reply = await get(id, query)
    return { status: reply.status, body: await reply.json() as object }
  }
  const peaks = async () => await call(key, 'GET', `/api/v1/transcriptions/${id}/peaks`)
  stores.db.prepare('UPDATE job SET duration_ms = NULL WHERE id = ?').run(id)
  t.match(await status('?as=wav'), { status: 422, body: { code: 'not_completed' } })
  t.match(await peaks(), { status: 422 })
  stores.db.prepare('UPDATE job SET duration_ms = 1000 WHERE id = ?').run(id)
  rmSync(`${t.testdirName}/media/recording-${id}`)
  t.match(await status(), { status: 410, body: { code: 'gone' } })
  stores.db.prepare("UPDATE media SET state = 'removed' WHERE id = ?").run(mediaId)
  for (const query of ['', '?as=wav']) t.match(await status(query), { status: 410, body: { code: 'gone' } })
  t.match(await peaks(), { status: 410 })
  stores.db.prepare("UPDATE media SET state = 'expected' WHERE id = ?").run(mediaId)
  t.match(await status(), { status: 422 })
  t.match(await status('?as=mp3'), { status: 400 })
  const { id: theirs } = await add(`${AUDIO}en-1.wav`, 'somebody else')
  t.equal((await get(theirs)).status, 404)
  t.equal((await call(key, 'GET', `/api/v1/transcriptions/${theirs}/peaks`)).status, 404)
})
