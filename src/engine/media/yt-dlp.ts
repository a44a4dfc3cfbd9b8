/**
 * yt-dlp: recordings of video and social platforms, and streams in pieces (HLS, DASH). It runs apart, with an environment and a directory of
 * its own, and reaches nothing but the filtering proxy it is given.
 */
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { JobFailure } from '../../domain/errors.js'
import type { FailureCode } from '../../domain/errors.js'
import { toRecordingName } from '../../domain/recording-name.js'
import type { SourceFacts } from '../../domain/source.js'
import { isTooSlow, PACE_MS } from '../http/pace.js'
import { runLimited, runToEnd } from '../process.js'
import type { Limits, Outcome } from '../process.js'

/** Where set-up puts it, seen from both `src/engine/` and `dist/engine/`. */
const BUNDLED = fileURLToPath(new URL('../../../build/yt-dlp', import.meta.url))
const INSPECT_MS = 3 * 60_000
const DOWNLOAD_MS = 12 * 60 * 60_000
const MAX_INFO_BYTES = 64 * 1024 ** 2
/** What it calls the file. */
const TARGET = 'media'

/** Ways of transfer that it does by itself, over the proxy; others would take a program that goes out directly. */
const OWN_WAY = '[protocol~=\'^(https?|m3u8(_native)?|http_dash_segments)$\']'
/** Sound alone, else the smallest picture with it. */
const CHOICE = ['-f', `bestaudio${OWN_WAY}/best${OWN_WAY}`, '-S', '+res']

const COMMON = [
  '--ignore-config', '--no-plugin-dirs', '--no-remote-components', '--no-cache-dir', '--no-playlist', '--no-color', '--no-warnings', '--no-mtime',
  // Without ffmpeg there are no streams that ffmpeg would fetch past the proxy, and nothing is recoded.
  '--ffmpeg-location', '/nonexistent', '--downloader', 'native', '--fixup', 'never',
  '--no-js-runtimes', '--js-runtimes', `node:${process.execPath}`,
  '--socket-timeout', '30', '--retries', '3', '--fragment-retries', '3', '--extractor-retries', '2', '--abort-on-unavailable-fragments'
]

/** What a page holds. `format`: which form of it was chosen. `info` is for `download`. */
export type PageFacts = SourceFacts & { identity: string | undefined, durationMs: number | undefined, sizeBytes: number | undefined, format: string, info: string }

type Info = {
  _type?: string, extractor_key?: string, id?: string, title?: string, duration?: number, timestamp?: number, upload_date?: string
  is_live?: boolean, live_status?: string, filesize?: number, format_id?: string, protocol?: string
}

/** What it says when it gives up, and what that means. The first that fits counts. */
const VERDICTS: ReadonlyArray<[FailureCode, RegExp]> = [
  ['source_unsupported', /Unsupported URL|DRM|is not a valid URL|No video formats|Requested format is not available|unsupported features|no suitable|live event|is live|ffmpeg/i],
  ['source_not_found', /HTTP Error (404|410)|Video unavailable|has been removed|does not exist|no longer available|been deleted|account .*terminated/i],
  ['source_forbidden', /HTTP Error (401|402|403|407|451)|private video|log ?in|sign in|members|subscribers|confirm your age|age.restricted|not available (in|from) your|geo.?restrict|requires? (authentication|payment|purchase)|cookies/i],
  ['media_too_large', /larger than max-filesize|File too large|Errno 27/i],
  ['insufficient_storage', /No space left|Errno 28|Disk quota/i],
  ['source_unreachable', /HTTP Error|timed out|Unable to download|Connection|resolve|SSL|CERTIFICATE|Tunnel|urlopen|IncompleteRead|more expected/i]
]

function toFacts (text: string): PageFacts {
  const info = JSON.parse(text) as Info | null
  if (!info || (info._type ?? 'video') !== 'video') throw new JobFailure('source_unsupported', 'yt-dlp: a list and not one recording')
  if (info.is_live === true || /^(is_live|is_upcoming|post_live)$/.test(info.live_status ?? '')) throw new JobFailure('source_unsupported', 'yt-dlp: live')
  // Of addresses that no platform is known for, id, title and time are guesses: the address itself, a count behind the title, the time of the file.
  const isGuess = info.extractor_key === undefined || /^(Generic|HTML5MediaEmbed)$/.test(info.extractor_key)
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(info.upload_date ?? '') ?? []
  const publishedAt = info.timestamp === undefined ? Date.UTC(Number(year), Number(month) - 1, Number(day)) : info.timestamp * 1000
  return {
    title: toRecordingName(isGuess ? info.title?.replace(/ \(1\)$/, '') : info.title),
    publishedAt: Number.isFinite(publishedAt) && !isGuess ? Math.round(publishedAt) : undefined,
    identity: isGuess || info.id === undefined ? undefined : `${info.extractor_key}:${info.id}`,
    durationMs: info.duration === undefined ? undefined : Math.round(info.duration * 1000),
    sizeBytes: info.filesize,
    format: JSON.stringify([info.extractor_key, info.id, info.format_id, info.protocol, info.filesize]),
    info: text
  }
}

/** Its progress as a share and as bytes: of pieces where it counts those, else of bytes. */
function readProgress (line: string): { bytes: number, share: number | undefined } | undefined {
  const match = /^progress (\S+) (\S+) (\S+) (\S+)$/.exec(line)
  if (!match) return undefined
  const [bytes = NaN, total = NaN, piece = NaN, pieces = NaN] = match.slice(1).map(Number)
  const share = pieces > 0 ? piece / pieces : bytes / total
  return { bytes: Number.isFinite(bytes) ? bytes : 0, share: Number.isFinite(share) ? Math.min(1, share) : undefined }
}

/** Where a run of yt-dlp works, and its only way out. */
export type Place = { directory: string, proxyUrl: string, signal: AbortSignal }

export function createYtDlp ({ program, searchPath, paceMs = PACE_MS }: { program: string | undefined, searchPath: string, paceMs?: number }) {
  const [file, first] = program === undefined ? ['python3', ['-m', 'yt_dlp']] : [program, []]

  function limitsFor ({ directory, proxyUrl, signal }: Place, timeoutMs: number): Limits {
    const proxies = Object.fromEntries(['http', 'https', 'ftp', 'ws', 'wss', 'all'].map((scheme) => [`${scheme}_proxy`, proxyUrl]))
    const env = { PATH: searchPath, HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8', YTDLP_NO_PLUGINS: '1', PYTHONSAFEPATH: '1', PYTHONNOUSERSITE: '1', PYTHONDONTWRITEBYTECODE: '1' }
    return { timeoutMs, signal, cwd: directory, env: { ...env, ...(program === undefined ? { PYTHONPATH: BUNDLED } : {}), ...proxies } }
  }

  /** Throws what an end other than success means. */
  function judge ({ code, stderr, stopped }: Outcome, signal: AbortSignal): void {
    signal.throwIfAborted()
    if (stopped !== undefined) throw new JobFailure('source_unreachable', `yt-dlp: ${stopped}`)
    if (code === 0) return
    if (code === 126 || code === 127 || stderr.includes('No module named yt_dlp')) throw new JobFailure('source_unsupported', 'yt-dlp is not there; see: stenobox doctor')
    // Its words name addresses; only what they come to is told.
    const complaint = stderr.split('\n').filter((line) => line.startsWith('ERROR')).join('\n')
    const [verdict] = VERDICTS.find(([, words]) => words.test(complaint)) ?? []
    throw new JobFailure(verdict ?? 'source_unsupported', `yt-dlp gave up: ${verdict ?? 'for a reason of its own'}`)
  }

  async function watch (running: ReturnType<typeof runLimited>, maxBytes: number, onProgress: (share: number) => void): Promise<void> {
    let bytes = 0
    let seenBytes = 0
    let fault: JobFailure | undefined
    const stop = (failure: JobFailure): void => {
      fault ??= failure
      running.stop()
    }
    const timer = setInterval(() => {
      if (isTooSlow(bytes - seenBytes)) stop(new JobFailure('source_unreachable', 'yt-dlp: far too slow'))
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
    /** Its version; undefined when it cannot be run. */
    async version (): Promise<string | undefined> {
      const place = { directory: '/', proxyUrl: '', signal: AbortSignal.timeout(20_000) }
      const outcome = await runToEnd(file, [...first, '--ignore-config', '--version'], { ...limitsFor(place, 20_000), maxBytes: 1000 }).catch(() => undefined)
      return outcome?.code === 0 ? outcome.stdout.trim() : undefined
    },

    /**
     * What recording a page holds. Its address is in a file: arguments are seen by everyone on the machine. `onlyKnown` asks nobody when no platform is known to have such addresses. Throws `JobFailure`: source_unsupported
     * (lists and live streams too), source_not_found, source_forbidden, source_unreachable.
     */
    async inspect (addressPath: string, place: Place, { onlyKnown }: { onlyKnown: boolean }): Promise<PageFacts> {
      const args = [...first, ...COMMON, ...CHOICE, '-J', '--flat-playlist', ...(onlyKnown ? ['--ies', 'default,-generic'] : []), '--batch-file', addressPath]
      const outcome = await runToEnd(file, args, { ...limitsFor(place, INSPECT_MS), maxBytes: MAX_INFO_BYTES })
      judge(outcome, place.signal)
      return toFacts(outcome.stdout)
    },

    /**
     * Fetches what `inspect` found, from the file `infoPath`, going on where an earlier run ended; the name of the file in the directory. Throws
     * `JobFailure`: the same, media_too_large, insufficient_storage.
     */
    async download (infoPath: string, place: Place, { maxBytes, onProgress }: { maxBytes: number, onProgress: (share: number) => void }): Promise<string> {
      const template = ['downloaded_bytes', 'total_bytes', 'fragment_index', 'fragment_count'].map((field) => `%(progress.${field})s`).join(' ')
      const args = [
        ...first, ...COMMON, ...CHOICE, '--continue', '--max-filesize', String(maxBytes), '--quiet', '--progress', '--newline',
        '--progress-template', `download:progress ${template}`, '-o', TARGET, '--load-info-json', infoPath
      ]
      const running = runLimited(file, args, { ...limitsFor(place, DOWNLOAD_MS), maxFileBytes: maxBytes })
      await watch(running, maxBytes, onProgress)
      judge(await running.ended, place.signal)
      const names = await readdir(place.directory)
      // It counts a file that is too large as a success without a file.
      if (!names.includes(TARGET)) throw new JobFailure('media_too_large', 'yt-dlp left no file')
      return TARGET
    }
  }
}
export type YtDlp = ReturnType<typeof createYtDlp>
