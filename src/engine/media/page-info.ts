/** What yt-dlp says about a page. Runs in a program of its own, see `parse-apart.ts`. */
import { JobFailure } from '../../domain/errors.js'
import { toRecordingName } from '../../domain/recording-name.js'
import type { SourceFacts } from '../../domain/source.js'

/** The recording on a page, as yt-dlp describes it. `format`: the chosen format. */
export type PageInfo = SourceFacts & {
  identity: string | undefined
  durationMs: number | undefined
  sizeBytes: number | undefined
  format: string
}

type Info = {
  _type?: string, extractor_key?: string, id?: string, title?: string, duration?: number, timestamp?: number, upload_date?: string
  is_live?: boolean, live_status?: string, filesize?: number, format_id?: string, protocol?: string
}

/** Reads yt-dlp's description of a page. Throws `JobFailure`: source_unsupported. */
export function parsePageInfo (text: string): PageInfo {
  const info = JSON.parse(text) as Info | null
  if (!info || (info._type ?? 'video') !== 'video') throw new JobFailure('source_unsupported', 'yt-dlp: a list, not a single recording')
  if (info.is_live === true || /^(is_live|is_upcoming|post_live)$/.test(info.live_status ?? '')) {
    throw new JobFailure('source_unsupported', 'yt-dlp: live')
  }
  // For unknown sites, id, title and date are guesses: the address itself, a counter after the title, the date of the file.
  const isGuess = info.extractor_key === undefined || /^(Generic|HTML5MediaEmbed)$/.test(info.extractor_key)
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(info.upload_date ?? '') ?? []
  const publishedAt = info.timestamp === undefined ? Date.UTC(Number(year), Number(month) - 1, Number(day)) : info.timestamp * 1000
  return {
    title: toRecordingName(isGuess ? info.title?.replace(/ \(1\)$/, '') : info.title),
    publishedAt: Number.isFinite(publishedAt) && !isGuess ? Math.round(publishedAt) : undefined,
    identity: isGuess || info.id === undefined ? undefined : `${info.extractor_key}:${info.id}`,
    durationMs: info.duration === undefined ? undefined : Math.round(info.duration * 1000),
    sizeBytes: info.filesize,
    format: JSON.stringify([info.extractor_key, info.id, info.format_id, info.protocol, info.filesize])
  }
}
