/**
 * yt-dlp fetches recordings from video and social platforms, and segmented streams (HLS, DASH). It runs in its own directory and
 * environment and can reach only the filtering proxy.
 */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { JobFailure } from '../../domain/errors.js'
import type { FailureCode } from '../../domain/errors.js'
import { isTooSlow, PACE_MS } from '../http/pace.js'
import { runLimited, runToEnd } from '../process.js'
import type { Limits, Outcome, Running } from '../process.js'
import type { PageInfo } from './page-info.js'
import { readPageInfo } from './parse-apart.js'

/** Where set-up installs yt-dlp, relative to both `src/engine/media/` and `dist/engine/media/`. */
const BUNDLED = fileURLToPath(new URL('../../../build/yt-dlp', import.meta.url))
const INSPECT_MS = 3 * 60_000
const DOWNLOAD_MS = 12 * 60 * 60_000
const MAX_INFO_BYTES = 64 * 1024 ** 2
/** The name of the downloaded file. */
const TARGET = 'media'

/** Protocols that yt-dlp handles itself, through the proxy. For others it would start a program that bypasses the proxy. */
const NATIVE_PROTOCOLS = '[protocol~=\'^(https?|m3u8(_native)?|http_dash_segments)$\']'
/** Audio only, else the smallest video with audio. */
const CHOICE = ['-f', `bestaudio${NATIVE_PROTOCOLS}/best${NATIVE_PROTOCOLS}`, '-S', '+res']

const COMMON = [
  '--ignore-config',
  '--no-plugin-dirs',
  '--no-remote-components',
  '--no-cache-dir',
  '--no-playlist',
  '--no-color',
  '--no-warnings',
  '--no-mtime',
  // Without ffmpeg, no stream is fetched by ffmpeg past the proxy, and nothing is re-encoded.
  '--ffmpeg-location',
  '/nonexistent',
  '--downloader',
  'native',
  '--fixup',
  'never',
  '--no-js-runtimes',
  '--js-runtimes',
  `node:${process.execPath}`,
  '--socket-timeout',
  '30',
  '--retries',
  '3',
  '--fragment-retries',
  '3',
  '--extractor-retries',
  '2',
  '--abort-on-unavailable-fragments'
]

/** The recording on a page. `info`: yt-dlp's JSON, for `download`. */
export type PageFacts = PageInfo & { info: string }

const anyOf = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'), 'i')

/** yt-dlp's error messages and their meaning. The first match counts. */
const VERDICTS: ReadonlyArray<[FailureCode, RegExp]> = [
  [
    'source_unsupported',
    anyOf(
      'Unsupported URL', 'DRM', 'is not a valid URL', 'No video formats', 'Requested format is not available', 'unsupported features',
      'no suitable', 'live event', 'is live', 'ffmpeg'
    )
  ],
  [
    'source_not_found',
    /HTTP Error (404|410)|Video unavailable|has been removed|does not exist|no longer available|been deleted|account .*terminated/i
  ],
  [
    'source_forbidden',
    anyOf(
      'HTTP Error (401|402|403|407|451)', 'private video', 'log ?in', 'sign in', 'members', 'subscribers', 'confirm your age',
      'age.restricted', 'not available (in|from) your', 'geo.?restrict', 'requires? (authentication|payment|purchase)', 'cookies'
    )
  ],
  ['media_too_large', /larger than max-filesize|File too large|Errno 27/i],
  ['insufficient_storage', /No space left|Errno 28|Disk quota/i],
  [
    'source_unreachable',
    /HTTP Error|timed out|Unable to download|Connection|resolve|SSL|CERTIFICATE|Tunnel|urlopen|IncompleteRead|more expected/i
  ]
]

/** Parses a progress line into bytes and a share from 0 to 1: of fragments if there are any, else of bytes. */
function readProgress (line: string): { bytes: number, share: number | undefined } | undefined {
  const match = /^progress (\S+) (\S+) (\S+) (\S+)$/.exec(line)
  if (!match) return undefined
  const [bytes = NaN, total = NaN, piece = NaN, pieces = NaN] = match.slice(1).map(Number)
  const share = pieces > 0 ? piece / pieces : bytes / total
  return { bytes: Number.isFinite(bytes) ? bytes : 0, share: Number.isFinite(share) ? Math.min(1, share) : undefined }
}

/** The working directory of a run, and the proxy that is its only way out. */
export type Place = { directory: string, proxyUrl: string, signal: AbortSignal }

type Deps = {
  /** The program; undefined for the one that comes with the appliance. */
  program: string | undefined
  /** PATH of the program. */
  searchPath: string
  paceMs?: number
}

/** `isContended`: true while others wait for a place; then a higher pace is required. */
type DownloadOptions = { maxBytes: number, onProgress: (share: number) => void, isContended: () => boolean }

export function createYtDlp ({ program, searchPath, paceMs = PACE_MS }: Deps) {
  const [file, first] = program === undefined ? ['python3', ['-m', 'yt_dlp']] : [program, []]

  function limitsFor ({ directory, proxyUrl, signal }: Place, timeoutMs: number): Limits {
    const proxies = Object.fromEntries(['http', 'https', 'ftp', 'ws', 'wss', 'all'].map((scheme) => [`${scheme}_proxy`, proxyUrl]))
    const env = {
      PATH: searchPath,
      HOME: directory,
      TMPDIR: directory,
      LANG: 'C.UTF-8',
      YTDLP_NO_PLUGINS: '1',
      PYTHONSAFEPATH: '1',
      PYTHONNOUSERSITE: '1',
      PYTHONDONTWRITEBYTECODE: '1'
    }
    return { timeoutMs, signal, cwd: directory, env: { ...env, ...(program === undefined ? { PYTHONPATH: BUNDLED } : {}), ...proxies } }
  }

  /** Throws the failure that an exit code other than 0 stands for. */
  function judge ({ code, stderr, stopped }: Outcome, signal: AbortSignal): void {
    signal.throwIfAborted()
    if (stopped !== undefined) throw new JobFailure('source_unreachable', `yt-dlp: ${stopped}`)
    if (code === 0) return
    if (code === 126 || code === 127 || stderr.includes('No module named yt_dlp')) {
      throw new JobFailure('source_unsupported', 'yt-dlp is not installed; see: stenobox doctor')
    }
    // yt-dlp's messages contain addresses, so only the verdict is passed on.
    const complaint = stderr
      .split('\n')
      .filter((line) => line.startsWith('ERROR'))
      .join('\n')
    const [verdict] = VERDICTS.find(([, words]) => words.test(complaint)) ?? []
    throw new JobFailure(verdict ?? 'source_unsupported', `yt-dlp failed: ${verdict ?? 'unknown reason'}`)
  }

  async function watch (running: Running, { maxBytes, onProgress, isContended }: DownloadOptions): Promise<void> {
    let bytes = 0
    let seenBytes = 0
    let fault: JobFailure | undefined
    const stop = (failure: JobFailure): void => {
      fault ??= failure
      running.stop()
    }
    const timer = setInterval(() => {
      if (isTooSlow(bytes - seenBytes, isContended())) stop(new JobFailure('source_unreachable', 'yt-dlp: far too slow'))
      seenBytes = bytes
    }, paceMs)
    try {
      let rest = ''
      for await (const text of running.stdout.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + text).split('\n')
        rest = lines.pop()?.slice(-1000) ?? ''
        for (const progress of lines.map(readProgress)) {
          if (!progress) continue
          bytes = progress.bytes
          if (bytes > maxBytes) stop(new JobFailure('media_too_large', `yt-dlp: more than ${maxBytes} bytes`))
          if (progress.share !== undefined) onProgress(progress.share)
        }
      }
    } finally {
      clearInterval(timer)
    }
    await running.ended
    if (fault) throw fault
  }

  return {
    /** The version; undefined when yt-dlp does not run. */
    async version (): Promise<string | undefined> {
      const place = { directory: '/', proxyUrl: '', signal: AbortSignal.timeout(20_000) }
      const outcome = await runToEnd(file, [...first, '--ignore-config', '--version'], {
        ...limitsFor(place, 20_000),
        maxBytes: 1000
      }).catch(() => undefined)
      return outcome?.code === 0 ? outcome.stdout.trim() : undefined
    },

    /**
     * Finds the recording on a page. The address is passed in a file, because everyone on the machine can see arguments. `onlyKnown`: make
     * no request unless a platform matches the address. Throws `JobFailure`: source_unsupported (also for lists and live streams),
     * source_not_found, source_forbidden, source_unreachable.
     */
    async inspect (addressPath: string, place: Place, { onlyKnown }: { onlyKnown: boolean }): Promise<PageFacts> {
      const args = [
        ...first,
        ...COMMON,
        ...CHOICE,
        '-J',
        '--flat-playlist',
        ...(onlyKnown ? ['--ies', 'default,-generic'] : []),
        '--batch-file',
        addressPath
      ]
      const outcome = await runToEnd(file, args, { ...limitsFor(place, INSPECT_MS), maxBytes: MAX_INFO_BYTES })
      judge(outcome, place.signal)
      return { ...await readPageInfo(outcome.stdout, place.signal), info: outcome.stdout }
    },

    /**
     * Downloads the recording that `inspect` found, from `infoPath`. Resumes an earlier download. Returns the name of the file in the
     * directory. Throws `JobFailure`: the same codes, media_too_large, insufficient_storage.
     */
    async download (
      infoPath: string,
      place: Place,
      options: DownloadOptions
    ): Promise<string> {
      const { maxBytes } = options
      const template = ['downloaded_bytes', 'total_bytes', 'fragment_index', 'fragment_count']
        .map((field) => `%(progress.${field})s`)
        .join(' ')
      const args = [
        ...first,
        ...COMMON,
        ...CHOICE,
        '--continue',
        '--max-filesize',
        String(maxBytes),
        '--quiet',
        '--progress',
        '--newline',
        '--progress-template',
        `download:progress ${template}`,
        '-o',
        TARGET,
        '--load-info-json',
        infoPath
      ]
      const running = runLimited(file, args, { ...limitsFor(place, DOWNLOAD_MS), maxFileBytes: maxBytes })
      await watch(running, options)
      judge(await running.ended, place.signal)
      const names = await readdir(place.directory)
      // yt-dlp exits with success and no file when the file is too large.
      if (!names.includes(TARGET)) throw new JobFailure('media_too_large', 'yt-dlp left no file')
      return TARGET
    }
  }
}
export type YtDlp = ReturnType<typeof createYtDlp>
