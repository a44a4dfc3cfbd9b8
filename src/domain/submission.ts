/** The options of a transcription request, and the rules that apply to all of them, whichever way they arrive. */
import { CHANNEL_MODES } from './channels.js'
import type { ChannelMode } from './channels.js'
import { AppError } from './errors.js'
import { MAX_PROMPT_LENGTH, STT_QUALITIES } from './job.js'
import type { JobOptions, SttQuality } from './job.js'
import { parseLanguage } from './language.js'
import { requireLength } from './lengths.js'
import type { RecordingName } from './recording-name.js'
import { parseSpeakers } from './speaker-options.js'
import type { SpeakersOption } from './speaker-options.js'
import { cleanTerms } from './terms.js'
import { generateSecret, MAX_SECRET_LENGTH } from './webhook.js'
import type { JobWebhook } from './webhook.js'

/** The longest language code or name, in characters. */
export const MAX_LANGUAGE_LENGTH = 64
/** The longest `webhookUrl` of a job, in characters. */
export const MAX_WEBHOOK_URL_LENGTH = 2048

/** A request as the caller wrote it, not checked yet. */
export type JobRequest = {
  fileName?: string | undefined
  language?: string | undefined
  options?: {
    sttQuality?: string | undefined
    terms?: readonly string[] | undefined
    prompt?: string | undefined
    channels?: string | undefined
    speakers?: SpeakersOption | undefined
  } | undefined
  webhookUrl?: string | undefined
  webhookSecret?: string | undefined
}

/** A checked and cleaned request: all data of a new job except its media. `apiKeyId`: the key of the request, if any. */
export type AcceptedJob = {
  ownerId: number
  apiKeyId: number | undefined
  fileName: RecordingName
  options: JobOptions
  webhook: JobWebhook | undefined
}

const isQuality = (text: string): text is SttQuality => (STT_QUALITIES as readonly string[]).includes(text)

function parseQuality (text: string): SttQuality {
  if (!isQuality(text)) throw new AppError('invalid_request', `options.sttQuality: must be one of ${STT_QUALITIES.join(', ')}`)
  return text
}

const isMode = (text: string): text is ChannelMode => (CHANNEL_MODES as readonly string[]).includes(text)

function parseChannels (text: string): ChannelMode {
  if (!isMode(text)) throw new AppError('invalid_request', `options.channels: must be one of ${CHANNEL_MODES.join(', ')}`)
  return text
}

/** Throws `invalid_request` for a language, quality, channels, term, prompt or number of speakers that is not valid. */
export function parseJobOptions ({ language, options = {} }: Pick<JobRequest, 'language' | 'options'>): JobOptions {
  const { sttQuality = 'balanced', terms, prompt, channels } = options
  const speakers = parseSpeakers(options.speakers, 'options.speakers')
  if (language !== undefined) requireLength(language, { min: 1, max: MAX_LANGUAGE_LENGTH }, 'language')
  if (prompt !== undefined) requireLength(prompt, { min: 0, max: MAX_PROMPT_LENGTH }, 'options.prompt')
  const code = language === undefined ? undefined : parseLanguage(language)
  return {
    ...(code === undefined ? {} : { language: code }),
    sttQuality: parseQuality(sttQuality),
    ...(terms ? { terms: cleanTerms(terms) } : {}),
    ...(prompt ? { prompt } : {}),
    ...(channels === undefined ? {} : { channels: parseChannels(channels) }),
    ...(speakers === undefined ? {} : { speakers })
  }
}

/**
 * The webhook of one job, with a new secret if none is given. Undefined when the request has no `webhookUrl`. Does not check whether the
 * URL may be reached. Throws `invalid_request`.
 */
export function parseJobWebhook (
  { webhookUrl: url, webhookSecret: secret }: Pick<JobRequest, 'webhookUrl' | 'webhookSecret'>
): JobWebhook | undefined {
  if (secret !== undefined) requireLength(secret, { min: 1, max: MAX_SECRET_LENGTH }, 'webhookSecret')
  if (url === undefined && secret !== undefined) throw new AppError('invalid_request', 'webhookSecret: needs a webhookUrl.')
  if (url === undefined) return undefined
  requireLength(url, { min: 1, max: MAX_WEBHOOK_URL_LENGTH }, 'webhookUrl')
  return { url, secret: secret ?? generateSecret() }
}
