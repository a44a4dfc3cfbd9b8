/** A real full disk: a small file system that runs out. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import type { Test } from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'

function mountSmall (directory: string, megabytes: number, files = 0): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,nr_inodes=${files}`, 'tmpfs', directory], { stdio: 'ignore' })
}

function canMount (): boolean {
  const directory = mkdtempSync(tmpdir() + '/stenobox-')
  try {
    mountSmall(directory, 1)
    execFileSync('umount', [directory])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
}

/** A file system of `megabytes` for the test, for at most `files` files and directories; 0: any number. */
function smallDisk (t: Test, megabytes: number, files = 0): string {
  const directory = mkdtempSync(tmpdir() + '/stenobox-')
  mountSmall(directory, megabytes, files)
  t.teardown(() => {
    execFileSync('umount', ['-l', directory])
    rmdirSync(directory)
  })
  return directory
}

/** Writes zeros until `leaveBytes` are free, or nothing more can be written, since the server writes at the same time. */
function fill (disk: string, leaveBytes: number): string {
  const { bavail, bsize } = statfsSync(disk)
  const file = disk + '/ballast'
  try {
    writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
  return file
}

const needsMount = { skip: canMount() ? false : 'needs the right to mount a small file system' }

t.test('a part that does not fit is refused with 507, what arrived before is kept, and the upload goes on later', needsMount, async (t) => {
  const disk = smallDisk(t, 8)
  const server = await startServer(disk)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const bytes = readFileSync(AUDIO + 'talk.mp3')
  const upload = await client.begin(bytes)
  t.match(await client.sendPart(upload, 2, bytes), { status: 200 })
  const ballast = fill(disk, 300_000)
  t.match(await client.sendPart(upload, 1, bytes), { status: 507, body: { success: false, code: 'insufficient_storage' } })
  t.match(await client.request('POST', '/api/v1/media/uploads/init', { fileName: 'x', fileSize: 1_000_000 }), { status: 507 })
  t.notOk(readdirSync(`${disk}/uploads/${upload.uploadId}`).some((name) => name.endsWith('.tmp')), 'no half part stays')
  const { body: { data } } = await client.request<{ missing: number[] }>('GET', `/api/v1/media/uploads/${upload.uploadId}`)
  t.strictSame(data.missing, [1])
  rmSync(ballast)
  t.match(await client.sendPart(upload, 1, bytes), { status: 200 })
  t.match(await client.complete(upload.uploadId), { status: 200 })
})

t.test('a disk that fills while the parts are joined: 507, all parts stay', needsMount, async (t) => {
  const disk = smallDisk(t, 8)
  const server = await startServer(disk)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const bytes = readFileSync(AUDIO + 'talk.mp3')
  const upload = await client.begin(bytes)
  for (const { partNumber } of upload.parts) await client.sendPart(upload, partNumber, bytes)
  const ballast = fill(disk, 200_000)
  t.match(await client.complete(upload.uploadId), { status: 507, body: { code: 'insufficient_storage' } })
  t.strictSame(readdirSync(disk + '/media'), [], 'no half file stays')
  rmSync(ballast)
  t.match(await client.complete(upload.uploadId), { status: 200, body: { data: { jobId: 1 } } })
})

t.test('a disk that fills while decoding: the job says so, its sound is removed, others complete', needsMount, async (t) => {
  const disk = smallDisk(t, 8)
  const server = await startServer(disk)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  // Five minutes decode to 9.5 MB.
  const job = await client.ended(await client.uploadFile(AUDIO + 'talk.mp3'))
  t.match(job, { status: 'failed', failure: { code: 'insufficient_storage' } })
  t.strictSame(readdirSync(disk + '/work'), [])
  t.match(await client.ended(await client.uploadFile(AUDIO + 'en-3.mp3')), { status: 'completed' })
})

t.test('while nothing can be written the server is not ready and says so once; it recovers by itself', needsMount, async (t) => {
  const disk = smallDisk(t, 8)
  const server = await startServer(disk)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const jobId = await client.uploadFile(AUDIO + 'talk.mp3')
  const ballast = fill(disk, 0)
  t.match(await client.request('GET', '/readyz'), { status: 503, body: { code: 'unavailable', error: /Free some space/ } })
  await new Promise((resolve) => { setTimeout(resolve, 3000) })
  const complaints = server.log().split('\n').filter((line) => line.includes('nothing can be written'))
  t.ok(complaints.length <= 1, `${complaints.length} lines`)
  rmSync(ballast)
  t.match(await client.request('GET', '/readyz'), { status: 200 })
  t.match((await client.ended(jobId)).failure?.code ?? 'none', /^(none|insufficient_storage)$/)
  t.match(await client.ended(await client.uploadFile(AUDIO + 'en-3.mp3')), { status: 'completed' })
})

t.test('no more files can be made, though there is space: refused like a full disk, and it recovers', needsMount, async (t) => {
  const disk = smallDisk(t, 64, 200)
  const server = await startServer(disk)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const bytes = readFileSync(AUDIO + 'en-3.mp3')
  const upload = await client.begin(bytes)
  mkdirSync(`${disk}/ballast`)
  const fillFiles = (): void => { for (let count = 0; count < 200; count++) writeFileSync(`${disk}/ballast/${count}`, '') }
  t.throws(fillFiles, { code: 'ENOSPC' })
  t.match(await client.sendPart(upload, 1, bytes), { status: 507, body: { code: 'insufficient_storage' } })
  t.match(await client.request('GET', '/healthz'), { status: 200 })
  rmSync(`${disk}/ballast`, { recursive: true })
  t.match(await client.sendPart(upload, 1, bytes), { status: 200 })
  const { body: { data } } = await client.complete(upload.uploadId)
  t.match(await client.ended(data.jobId), { status: 'completed' })
})

t.test('free disk below the reserve: nothing is accepted', async (t) => {
  const server = await startServer(t.testdir(), { STENOBOX_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  t.match(await client.request('POST', '/api/v1/media/uploads/init', { fileName: 'x', fileSize: 10 }), {
    status: 507,
    body: { code: 'insufficient_storage' }
  })
  t.match(await client.request('GET', '/readyz'), { status: 503, body: { code: 'unavailable' } })
  t.match(await client.request('GET', '/healthz'), { status: 200 })
})
