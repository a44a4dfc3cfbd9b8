/** Configuration: turns environment variables into one checked, frozen object. No other file reads the environment. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readOauth } from './config-oauth.js'
import type { OauthConfig } from './config-oauth.js'
import { allowList, filePath, integer, issuer, networks, oneOf, password, text, token, url } from './config-options.js'
import type { Option } from './config-options.js'
import { MAX_DAYS } from './domain/access.js'
import type { AllowList, AllowLists } from './domain/addresses.js'
import type { Networks } from './domain/client-address.js'

export type { OauthConfig }

const GIB = 1024 ** 3
const cores = availableParallelism()
/**
 * Many single-threaded windows are faster than one multi-threaded window. Above 8, decoding states cost more memory than they are worth.
 */
const defaultWorkers = Math.min(cores, 8)

/** All variables. docs/configuration.md describes them; `scripts/check-docs.mjs` compares. */
const OPTIONS = {
  STENOBOX_HOST: text('127.0.0.1'),
  STENOBOX_PORT: integer(8080, 0, 65_535),
  STENOBOX_PUBLIC_URL: url(),
  STENOBOX_TRUSTED_PROXIES: networks(),
  STENOBOX_TLS_CERTIFICATE: filePath(),
  STENOBOX_TLS_KEY: filePath(),
  STENOBOX_ADMIN_PASSWORD: password(),
  STENOBOX_SHARING: oneOf('false', 'true'),
  STENOBOX_METRICS_TOKEN: token(),
  STENOBOX_AUDIT_LOG: filePath(),
  STENOBOX_DATA_DIR: text('./data'),
  STENOBOX_MODELS_DIR: text('./models'),
  STENOBOX_MODELS_URL: url(),
  /** The model that set-up installs. `auto`: base, or the starter when base cannot be fetched. */
  STENOBOX_MODEL: oneOf('auto', 'base', 'tiny.en', 'starter', 'none'),
  STENOBOX_HTTP_PROXY: url(),
  STENOBOX_OFFLINE: oneOf('false', 'true'),
  STENOBOX_ALLOW_SOURCES: allowList(),
  STENOBOX_ALLOW_WEBHOOKS: allowList(),
  STENOBOX_ALLOW_OAUTH: allowList(),
  STENOBOX_ALLOW_MODELS: allowList(),
  STENOBOX_OAUTH_ISSUER: issuer(),
  STENOBOX_OAUTH_AUDIENCE: text(''),
  STENOBOX_OAUTH_OWNER_CLAIM: text('sub'),
  STENOBOX_OAUTH_CREATE_OWNERS: oneOf('false', 'true'),
  STENOBOX_OAUTH_CLIENT_ID: text(''),
  STENOBOX_OAUTH_CLIENT_SECRET: text(''),
  STENOBOX_OAUTH_CREATE_ACCOUNTS: oneOf('false', 'true'),
  STENOBOX_OAUTH_SERVER: oneOf('false', 'true'),
  STENOBOX_OAUTH_REGISTRATION: oneOf('false', 'true'),
  STENOBOX_WORKERS: integer(defaultWorkers, 1, 256),
  STENOBOX_THREADS_PER_WORKER: integer(Math.max(1, Math.floor(cores / defaultWorkers)), 1, 64),
  STENOBOX_SPEAKER_ENGINE: oneOf('auto', 'bundled', 'models'),
  STENOBOX_LLM_THREADS: integer(Math.max(1, Math.floor(cores / 2)), 1, 64),
  STENOBOX_YT_DLP: text(''),
  STENOBOX_EVALUATE_PYTHON: text('python3'),
  STENOBOX_GPU: oneOf('auto', 'off', 'cuda', 'vulkan'),
  /** Read by scripts/build-native.mjs. Listed here so that it is not an unknown name. */
  STENOBOX_BUILD: oneOf('native', 'portable'),
  STENOBOX_LOG_LEVEL: oneOf('info', 'debug', 'warn', 'error', 'silent'),
  STENOBOX_MAX_MEDIA_BYTES: integer(10 * GIB, 1, Number.MAX_SAFE_INTEGER),
  STENOBOX_MAX_MEDIA_SECONDS: integer(24 * 3600, 1, 7 * 24 * 3600),
  STENOBOX_MAX_QUEUED: integer(10_000, 1, 1_000_000),
  STENOBOX_KEEP_MEDIA: oneOf('true', 'false'),
  STENOBOX_RETENTION_DAYS: integer(0, 0, MAX_DAYS),
  STENOBOX_TRANSCRIPT_RETENTION_DAYS: integer(0, 0, MAX_DAYS),
  STENOBOX_MIN_FREE_BYTES: integer(GIB, 0, Number.MAX_SAFE_INTEGER)
}

type Values = { [K in keyof typeof OPTIONS]: typeof OPTIONS[K]['fallback'] }

export type Config = Readonly<{
  host: string
  port: number
  /** The address clients use, if they do not connect directly. No trailing slash. */
  publicUrl: string | undefined
  /** Reverse proxies whose X-Forwarded-For is believed. */
  trustedProxies: Networks
  /** Undefined: HTTP without encryption. Absolute paths. */
  tls: Readonly<{ certificatePath: string, keyPath: string }> | undefined
  /** What a program must send to read /metrics. Undefined: nobody may. */
  metricsToken: string | undefined
  /** Absolute path. Undefined: no audit log. */
  auditLog: string | undefined
  /** Undefined: administration over HTTP is off. */
  adminPassword: string | undefined
  /** Whether owners may share transcriptions by links. */
  sharing: boolean
  dataDir: string
  modelsDir: string
  /** Mirror of the hub in the manifest. */
  modelsUrl: string | undefined
  /** The model set-up installs; `none`: the administrator installs one. */
  firstModel: 'auto' | 'base' | 'tiny.en' | 'starter' | 'none'
  /** The index of Python packages that pip uses: the one in its settings, else PyPI. */
  packageIndex: string
  /** Proxies for http and https. `except`: hosts that bypass them. */
  proxy: Readonly<{ http: string | undefined, https: string | undefined, except: string }>
  /** True: no outbound requests. */
  offline: boolean
  /** Addresses that may be reached although they are not public. */
  allow: AllowLists
  /** Undefined: only keys are accepted, no tokens. */
  oauth: OauthConfig | undefined
  /** A yt-dlp to use instead of the one from set-up. */
  ytDlp: string | undefined
  /** Python with the package faster-whisper, for `stenobox evaluate --against faster-whisper`. */
  evaluatePython: string
  /** The PATH for other programs. */
  searchPath: string
  workers: number
  threadsPerWorker: number
  /** Threads of the language model. */
  llmThreads: number
  /** What tells speakers apart. */
  speakerEngine: 'auto' | 'bundled' | 'models'
  gpu: 'auto' | 'off' | 'cuda' | 'vulkan'
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  maxMediaBytes: number
  maxMediaSeconds: number
  maxQueued: number
  minFreeBytes: number
  keepMedia: boolean
  /** 0: no maximum age. */
  retentionDays: number
  /** The same for transcripts. */
  transcriptRetentionDays: number
}>

/** The configuration is invalid. The message lists every fault, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The value of a variable, or the content of the file named by NAME_FILE (for secrets). */
function readVariable (env: NodeJS.ProcessEnv, name: string, faults: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name] === '' ? undefined : env[name]
  if (env[name]) faults.push(`${name} and ${name}_FILE are both set; remove one`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    faults.push(`${name}_FILE: the file cannot be read; check that it exists and that this user may read it`)
    return undefined
  }
}

/** Our own proxy setting, else the common variables, which are not validated because they are not ours. */
function readProxy (env: NodeJS.ProcessEnv, own: string): Config['proxy'] {
  if (own !== '') return Object.freeze({ http: own, https: own, except: '' })
  const common = (name: string): string | undefined => {
    const value = (env[name.toLowerCase()] || env[name])?.trim()
    return value && !value.includes('://') ? `http://${value}` : value || undefined
  }
  const http = common('HTTP_PROXY')
  return Object.freeze({ http, https: common('HTTPS_PROXY') ?? http, except: env['no_proxy'] || env['NO_PROXY'] || '' })
}

/**
 * The package index that pip uses: its variable, else the first of its files that names one, else PyPI. An invalid value is ignored,
 * because it is pip's setting, not ours.
 */
function readPackageIndex (env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? '/nonexistent'
  const folders = [env['VIRTUAL_ENV'], `${env['XDG_CONFIG_HOME'] || `${home}/.config`}/pip`, `${home}/.pip`, '/etc']
  const files = [env['PIP_CONFIG_FILE'], ...folders.map((folder) => folder && `${folder}/pip.conf`)]
  const named = files.map((file) => {
    try {
      return /^\s*index[-_]url\s*[=:]\s*(\S+)/m.exec(file ? readFileSync(file, 'utf8') : '')?.[1]
    } catch {
      return undefined
    }
  })
  const isAddress = (text: string | undefined): boolean => text !== undefined && url().parse(text) !== undefined
  return [env['PIP_INDEX_URL'], ...named].find(isAddress) ?? 'https://pypi.org/simple'
}

function refuseUnknown (env: NodeJS.ProcessEnv, faults: string[]): void {
  for (const name of Object.keys(env).filter((key) => key.startsWith('STENOBOX_'))) {
    if (!(name.replace(/_FILE$/, '') in OPTIONS)) faults.push(`${name}: unknown setting; docs/configuration.md has all settings`)
  }
}

function readTls ({ STENOBOX_TLS_CERTIFICATE: certificatePath, STENOBOX_TLS_KEY: keyPath }: Values, faults: string[]): Config['tls'] {
  if (certificatePath === '' && keyPath === '') return undefined
  if (certificatePath === '') faults.push('STENOBOX_TLS_CERTIFICATE: STENOBOX_TLS_KEY is set, so the certificate is needed too')
  if (keyPath === '') faults.push('STENOBOX_TLS_KEY: STENOBOX_TLS_CERTIFICATE is set, so its private key is needed too')
  return Object.freeze({ certificatePath, keyPath })
}

/** Reads the configuration. Throws `ConfigError` that lists every fault. */
export function readConfig (env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  refuseUnknown(env, faults)
  const values = Object.fromEntries(Object.entries<Option<string | number | AllowList | Networks>>(OPTIONS).map(([name, option]) => {
    const given = readVariable(env, name, faults)
    const value = given === undefined ? option.fallback : option.parse(given)
    if (value === undefined) {
      faults.push(`${name}: must be ${typeof option.expected === 'string' ? option.expected : option.expected(given ?? '')}`)
    }
    return [name, value]
  })) as Values
  // Compare values with each other only when each is valid.
  const tls = faults.length === 0 ? readTls(values, faults) : undefined
  const oauth = faults.length === 0 ? readOauth(values, faults) : undefined
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return Object.freeze({
    host: values.STENOBOX_HOST,
    port: values.STENOBOX_PORT,
    publicUrl: values.STENOBOX_PUBLIC_URL || undefined,
    trustedProxies: values.STENOBOX_TRUSTED_PROXIES,
    tls,
    metricsToken: values.STENOBOX_METRICS_TOKEN || undefined,
    auditLog: values.STENOBOX_AUDIT_LOG || undefined,
    adminPassword: values.STENOBOX_ADMIN_PASSWORD || undefined,
    sharing: values.STENOBOX_SHARING === 'true',
    dataDir: resolve(values.STENOBOX_DATA_DIR),
    modelsDir: resolve(values.STENOBOX_MODELS_DIR),
    modelsUrl: values.STENOBOX_MODELS_URL || undefined,
    firstModel: values.STENOBOX_MODEL,
    packageIndex: readPackageIndex(env),
    proxy: readProxy(env, values.STENOBOX_HTTP_PROXY),
    offline: values.STENOBOX_OFFLINE === 'true',
    allow: Object.freeze({
      sources: values.STENOBOX_ALLOW_SOURCES,
      webhooks: values.STENOBOX_ALLOW_WEBHOOKS,
      oauth: values.STENOBOX_ALLOW_OAUTH,
      models: values.STENOBOX_ALLOW_MODELS
    }),
    oauth,
    ytDlp: values.STENOBOX_YT_DLP || undefined,
    evaluatePython: values.STENOBOX_EVALUATE_PYTHON,
    searchPath: env['PATH'] ?? '',
    workers: values.STENOBOX_WORKERS,
    threadsPerWorker: values.STENOBOX_THREADS_PER_WORKER,
    llmThreads: values.STENOBOX_LLM_THREADS,
    speakerEngine: values.STENOBOX_SPEAKER_ENGINE,
    gpu: values.STENOBOX_GPU,
    logLevel: values.STENOBOX_LOG_LEVEL,
    maxMediaBytes: values.STENOBOX_MAX_MEDIA_BYTES,
    maxMediaSeconds: values.STENOBOX_MAX_MEDIA_SECONDS,
    maxQueued: values.STENOBOX_MAX_QUEUED,
    minFreeBytes: values.STENOBOX_MIN_FREE_BYTES,
    keepMedia: values.STENOBOX_KEEP_MEDIA === 'true',
    retentionDays: values.STENOBOX_RETENTION_DAYS,
    transcriptRetentionDays: values.STENOBOX_TRANSCRIPT_RETENTION_DAYS
  })
}
