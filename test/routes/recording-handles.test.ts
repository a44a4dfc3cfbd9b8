/** Recordings that were opened for a listener are closed, however the request ends. */
import { mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { AUDIO } from '../support/paths.ts'
import { serveRecordings } from '../support/recordings.ts'
import { waitFor } from '../support/wait.ts'

/** How many recordings of the data directory this process has open. */
function countOpen (dataDir: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // The directory that is being read.
      return ''
    }
  })
  return targets.filter((target) => target.includes(`${dataDir}/media/`)).length
}

t.test('a recording whose first bytes cannot be read is closed', async (t) => {
  const { add, get } = await serveRecordings(t)
  const { id } = await add(`${AUDIO}en-1.wav`)
  rmSync(`${t.testdirName}/media/recording-${id}`)
  // Opening a directory works, reading it does not.
  mkdirSync(`${t.testdirName}/media/recording-${id}`)
  t.equal((await get(id)).status, 500)
  t.equal(countOpen(t.testdirName), 0)
})

t.test('replies without the recording leave nothing open', async (t) => {
  const { add, get } = await serveRecordings(t)
  const { id, bytes } = await add(`${AUDIO}en-1.wav`)
  const etag = (await get(id, '', {}, { method: 'HEAD' })).headers.get('etag') ?? ''
  t.equal((await get(id, '', { range: `bytes=${bytes.length}-` })).status, 416)
  t.equal((await get(id, '', { range: `bytes=${bytes.length}-`, 'if-none-match': etag })).status, 304)
  t.equal((await get(id, '', { 'if-none-match': etag })).status, 304)
  t.equal(countOpen(t.testdirName), 0)
})

t.test('a link whose transcription is deleted while its recording is opened leaves nothing open', async (t) => {
  const { add, appliance } = await serveRecordings(t, { STENOBOX_SHARING: 'true' })
  const { id, stores } = await add(`${AUDIO}en-1.wav`)
  const { token } = appliance.shares.create(id, 1, 1)
  const listening = appliance.shares.listen(token)
  stores.jobs.remove(id)
  const playable = await listening.catch(() => undefined)
  await playable?.close()
  t.equal(countOpen(t.testdirName), 0)
})

t.test('listeners who leave at any moment leave nothing open', async (t) => {
  const { add, address, key } = await serveRecordings(t)
  const { id } = await add(`${AUDIO}talk.mp3`)
  const { hostname: host, port } = new URL(address)
  const head = `GET /api/v1/transcriptions/${id}/audio HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  for (let attempt = 0; attempt < 60; attempt++) {
    const socket = connect({ host, port: Number(port) })
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(head)
    // The first ones leave before anything was read, others while the file is opened, the last ones while it is sent.
    for (let turn = 0; turn < attempt; turn++) await new Promise((resolve) => { setImmediate(resolve) })
    socket.destroy()
  }
  await waitFor('the recordings to be closed', () => countOpen(t.testdirName) === 0)
  t.equal(countOpen(t.testdirName), 0)
})
