/** Addresses, served by Debian's nginx: does each kind end in its text, and what does fetching cost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance, ApplianceOptions } from '../../dist/evaluate/appliance.js'
import { createClient } from '../lib/client.ts'
import { readMemory } from '../../dist/evaluate/machine/load.js'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { runProgram } from '../../dist/evaluate/machine/programs.js'
import { findFixture } from '../lib/recordings.ts'
import { formatBytes, formatMs, formatPercent } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { countWordErrors, rateOf } from '../../dist/evaluate/text/wer.js'

const MIB = 1024 ** 2
type Outside = {
  url: string
  /** Bytes of bodies sent so far, by path. */
  sentBytes: (path: string) => Promise<number>
  stop: () => Promise<void>
}
type Kind = { kind: string, path: string, recording: string }

const KINDS: readonly Kind[] = [
  { kind: 'file', path: '/en-3.mp3', recording: 'en-3' },
  { kind: 'redirect', path: '/moved', recording: 'en-3' },
  { kind: 'feed', path: '/feed.xml', recording: 'en-1' },
  { kind: 'page', path: '/page.html', recording: 'video' },
  { kind: 'HLS', path: '/hls.m3u8', recording: 'video' },
  { kind: 'DASH', path: '/dash.mpd', recording: 'video' }
]

export const sources: Benchmark = {
  name: 'sources',
  summary: 'every kind of address through to its text, fetching a large file, and what kill -9 costs of it',
  minutes: 2,
  run
}

async function fillFolder (folder: string, largeBytes: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of ['en-1', 'en-3', 'video']) {
    const { path } = findFixture(name)
    await copyFile(path, join(folder, path.slice(path.lastIndexOf('/') + 1)))
  }
  const video = ['-nostdin', '-v', 'error', '-i', join(folder, 'video.mp4'), '-map', '0', '-c:v', 'copy', '-c:a', 'aac']
  await runProgram('ffmpeg', [...video, '-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod', join(folder, 'hls.m3u8')])
  await runProgram('ffmpeg', [...video, '-f', 'dash', join(folder, 'dash.mpd')])
  const page = '<!doctype html><html><head><title>A film</title></head><body><video src="/video.mp4"></video></body></html>'
  await writeFile(join(folder, 'page.html'), page)
  const episode = '<item><title>Talk</title><enclosure url="/en-1.wav" type="audio/wav"/></item>'
  await writeFile(join(folder, 'feed.xml'), `<rss version="2.0"><channel>${episode}</channel></rss>`)
  // Zeros that begin like a recording: fetched whole, then refused by the decoder.
  const large = await open(join(folder, 'large.bin'), 'w')
  await large.write('ID3\0')
  await large.truncate(largeBytes)
  await large.close()
}

async function startNginx (folder: string, scratch: string): Promise<Outside> {
  const port = await findFreePort()
  const log = join(scratch, 'nginx-access.log')
  const file = join(scratch, 'nginx.conf')
  // Started by root, nginx would read the folder as nobody, who may not.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(file, `${user} daemon off; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx-error.log; events {}
    http { types { text/html html; audio/mpeg mp3; video/mp4 mp4; application/dash+xml mpd; application/vnd.apple.mpegurl m3u8; }
    log_format sent '$uri $body_bytes_sent'; access_log ${log} sent; sendfile on;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${scratch}/nginx-${name};`).join(' ')}
    server { listen 127.0.0.1:${port}; root ${folder};
      location /moved { return 302 /en-3.mp3; }
      location /slow/ { alias ${folder}/; limit_rate 20m; } } }`)
  const child = spawn('/usr/sbin/nginx', ['-c', file], { stdio: 'ignore' })
  child.once('error', () => {})
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; await fetch(url).then(() => false, () => true); tries++) {
    if (tries > 100) throw new Error('nginx does not run here; install it: apt-get install nginx-light')
    await sleep(50)
  }
  return {
    url,
    sentBytes: async (path) => {
      const requests = (await readFile(log, 'utf8')).split('\n').map((line) => line.split(' '))
      return requests.filter(([uri]) => uri === path).reduce((sum, [, bytes]) => sum + Number(bytes), 0)
    },
    async stop () {
      child.kill()
      await ended
    }
  }
}

async function runKind (
  appliance: Appliance, key: string, url: string, { path, recording }: Kind
): Promise<{ ms: number, wer: number | undefined }> {
  const client = createClient(appliance.url, key)
  const startedMs = performance.now()
  const id = await client.submitUrl(url + path)
  await client.waitFor(id, { everyMs: 20 })
  const ms = performance.now() - startedMs
  return { ms, wer: rateOf(countWordErrors(findFixture(recording).reference, (await client.readText(id)).text)) }
}

/** Fetches the large file, and kills the appliance in the middle when asked; how long it took, and how much memory. */
async function runLarge (setup: ApplianceOptions, key: string, url: string, kill: boolean): Promise<{ ms: number, peakBytes: number }> {
  let appliance = await startAppliance(setup)
  try {
    const id = await createClient(appliance.url, key).submitUrl(url)
    const startedMs = performance.now()
    if (kill) {
      while ((await createClient(appliance.url, key).findJob(id)).progress < 4) await sleep(20)
      await appliance.kill()
      appliance = await startAppliance(setup)
    }
    const job = await createClient(appliance.url, key).follow(id)
    if (job.failure?.code !== 'unsupported_media') throw new Error(`The large file ended as ${job.status} ${job.failure?.code ?? ''}`)
    return { ms: performance.now() - startedMs, peakBytes: readMemory(appliance.pid).peakBytes }
  } finally {
    await appliance.kill()
  }
}

async function run ({ scratch, options, log }: BenchContext): Promise<Report> {
  const largeBytes = (options.quick ? 64 : 512) * MIB
  const folder = join(scratch, 'www')
  await fillFolder(folder, largeBytes)
  const outside = await startNginx(folder, scratch)
  const setup = {
    dataDir: join(scratch, 'data-sources'),
    modelsDir: await installModel(join(scratch, 'models-sources'), STARTER_WEIGHTS, 5),
    settings: { STENOBOX_ALLOW_SOURCES: '127.0.0.1' }
  }
  try {
    const key = await createKey(setup, 'bench')
    const appliance = await startAppliance(setup)
    const kinds: Array<Kind & { ms: number, wer: number | undefined }> = []
    try {
      for (const kind of KINDS) {
        kinds.push({ ...kind, ...await runKind(appliance, key, outside.url, kind) })
        log(`${kind.kind}: done`)
      }
    } finally {
      await appliance.stop()
    }
    const whole = await runLarge(setup, key, `${outside.url}/large.bin`, false)
    const cut = await runLarge(setup, key, `${outside.url}/slow/large.bin`, true)
    await outside.stop()
    return report(kinds, { largeBytes, whole, cut, cutBytes: await outside.sentBytes('/slow/large.bin') })
  } finally {
    await outside.stop()
  }
}

type Large = { largeBytes: number, whole: { ms: number, peakBytes: number }, cut: { ms: number, peakBytes: number }, cutBytes: number }

function report (
  kinds: ReadonlyArray<Kind & { ms: number, wer: number | undefined }>, { largeBytes, whole, cut, cutBytes }: Large
): Report {
  const againBytes = cutBytes - largeBytes
  const passed = kinds.every(({ wer }) => wer !== undefined && wer < 0.2) && againBytes < 0.1 * largeBytes
  return {
    result: `Every kind of address was transcribed; ${formatBytes(largeBytes)} arrive in ${formatMs(whole.ms)}, and after kill -9 ` +
      `in the middle ${formatPercent(againBytes / largeBytes)} of them are fetched again.`,
    passed,
    tables: [{
      title: 'From the request to the text',
      columns: ['kind', 'time', 'WER'],
      rows: kinds.map(({ kind, ms, wer }) => [kind, formatMs(ms), formatPercent(wer)])
    }],
    notes: [
      `Fetching ${formatBytes(largeBytes)}: ${formatBytes(1000 * largeBytes / whole.ms)} a second with digest and sync, peak ` +
        `memory of the server ${formatBytes(whole.peakBytes)}.`,
      'Bytes sent twice are those of nginx\'s log: what was under way when the process died.'
    ],
    figures: { kinds, largeBytes, whole, cut, cutBytes }
  }
}
