/** Configuration: environment variables → one checked, frozen object. Nothing else reads the environment. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { PASSWORD_LENGTH } from './domain/access.js'
import { parseAllowEntry } from './domain/addresses.js'
import type { AllowList, AllowLists } from './domain/addresses.js'
import { resourceNames } from './domain/oauth.js'

type Option<T> = { fallback: T, parse (text: string): T | undefined, expected: string | ((text: string) => string) }

const text = (fallback: string): Option<string> => ({ fallback, parse: (value) => value, expected: 'text' })

const integer = (fallback: number, min: number, max: number): Option<number> => ({
  fallback,
  expected: `a whole number from ${min} to ${max}`,
  parse (value) {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
  }
})

function oneOf<const T extends string> (fallback: T, ...values: T[]): Option<T> {
  return {
    fallback,
    expected: `one of ${[fallback, ...values].join(', ')}`,
    parse: (value) => [fallback, ...values].find((known) => known === value)
  }
}

/** Empty when it is not set. */
const password = (): Option<string> => ({
  fallback: '',
  expected: `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters long`,
  parse: (value) => [...value].length >= PASSWORD_LENGTH.min && [...value].length <= PASSWORD_LENGTH.max ? value : undefined
})

const url = (): Option<string> => ({
  fallback: '',
  expected: 'an http or https address',
  parse: (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? value.replace(/\/+$/, '') : undefined
})

/** Issuers are compared letter by letter, so nothing is changed here, not even a slash at the end. */
const issuer = (): Option<string> => ({
  fallback: '',
  expected: 'the address of an issuer exactly as its tokens name it: http or https, without query and fragment',
  parse: (value) => url().parse(value) !== undefined && !/[?#]/.test(value) ? value : undefined
})

const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim()).filter(Boolean)

const allowList = (): Option<AllowList> => ({
  fallback: [],
  expected: (value) => `addresses, ranges like 10.0.0.0/8 and host names, with commas between; "${splitList(value).find((entry) => !parseAllowEntry(entry))}" is none of these`,
  parse (value) {
    const entries = splitList(value).map(parseAllowEntry)
    return entries.every((entry) => entry !== undefined) ? entries : undefined
  }
})

const GIB = 1024 ** 3
const cores = availableParallelism()
/** Many single-threaded windows beat one multi-threaded window; beyond 8 the decoding states cost more memory than they give. */
const defaultWorkers = Math.min(cores, 8)

/** Every variable, without its prefix. README lists them; `scripts/check-docs.mjs` compares. */
const OPTIONS = {
  STENOBOX_HOST: text('127.0.0.1'),
  STENOBOX_PORT: integer(8080, 0, 65_535),
  STENOBOX_PUBLIC_URL: url(),
  STENOBOX_ADMIN_PASSWORD: password(),
  STENOBOX_DATA_DIR: text('./data'),
  STENOBOX_MODELS_DIR: text('./models'),
  STENOBOX_MODELS_URL: url(),
  /** Which model set-up installs. `auto`: base, or the starter where it cannot be had. */
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
  STENOBOX_OAUTH_SERVER: oneOf('false', 'true'),
  STENOBOX_OAUTH_REGISTRATION: oneOf('false', 'true'),
  STENOBOX_WORKERS: integer(defaultWorkers, 1, 256),
  STENOBOX_THREADS_PER_WORKER: integer(Math.max(1, Math.floor(cores / defaultWorkers)), 1, 64),
  STENOBOX_YT_DLP: text(''),
  STENOBOX_GPU: oneOf('auto', 'off', 'cuda', 'vulkan'),
  /** Read by scripts/build-native.mjs; here only so that it is no unknown name. */
  STENOBOX_BUILD: oneOf('native', 'portable'),
  STENOBOX_LOG_LEVEL: oneOf('info', 'debug', 'warn', 'error', 'silent'),
  STENOBOX_MAX_MEDIA_BYTES: integer(10 * GIB, 1, Number.MAX_SAFE_INTEGER),
  STENOBOX_MAX_MEDIA_SECONDS: integer(24 * 3600, 1, 7 * 24 * 3600),
  STENOBOX_MAX_QUEUED: integer(10_000, 1, 1_000_000),
  STENOBOX_KEEP_MEDIA: oneOf('true', 'false'),
  STENOBOX_RETENTION_DAYS: integer(0, 0, 36_500),
  STENOBOX_MIN_FREE_BYTES: integer(GIB, 0, Number.MAX_SAFE_INTEGER)
}

type Values = { [K in keyof typeof OPTIONS]: typeof OPTIONS[K]['fallback'] }

/** Whose tokens are taken: those of an identity provider, or of our own authorization server. */
export type OauthConfig = Readonly<{
  issuer: string
  /** One of these is what the tokens must be meant for. */
  audiences: readonly string[]
  /** The issuer is this appliance. */
  server: boolean
  /** Clients may register themselves with our own server. */
  registration: boolean
  /** Claim of a provider's tokens that names the owner. */
  ownerClaim: string
  /** Owners that a provider's tokens name come to be with their first call. */
  createOwners: boolean
}>

export type Config = Readonly<{
  host: string
  port: number
  /** Address clients use, when it is not the one they connect to; no trailing slash. */
  publicUrl: string | undefined
  /** Administration over HTTP is off without it. */
  adminPassword: string | undefined
  dataDir: string
  modelsDir: string
  /** Stands in for the hub that the manifest names. */
  modelsUrl: string | undefined
  /** What set-up installs; `none`: a person sees to it. */
  firstModel: 'auto' | 'base' | 'tiny.en' | 'starter' | 'none'
  /** The index of Python packages that pip would ask: the one in its settings, else PyPI. */
  packageIndex: string
  /** For http and for https; `except`: hosts asked directly. */
  proxy: Readonly<{ http: string | undefined, https: string | undefined, except: string }>
  /** Nothing is fetched from anywhere. */
  offline: boolean
  /** What may be reached although it is not public. */
  allow: AllowLists
  /** Undefined: no tokens, only keys. */
  oauth: OauthConfig | undefined
  /** Another yt-dlp than the one of set-up. */
  ytDlp: string | undefined
  /** Where programs are looked for. */
  searchPath: string
  workers: number
  threadsPerWorker: number
  gpu: 'auto' | 'off' | 'cuda' | 'vulkan'
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  maxMediaBytes: number
  maxMediaSeconds: number
  maxQueued: number
  minFreeBytes: number
  keepMedia: boolean
  /** 0: media is never too old. */
  retentionDays: number
}>

/** Thrown with every fault found, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The text of a variable: its own, or the content of the file that NAME_FILE names (for secrets). */
function readVariable (env: NodeJS.ProcessEnv, name: string, faults: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name] === '' ? undefined : env[name]
  if (env[name]) faults.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    faults.push(`${name}_FILE: the file cannot be read`)
    return undefined
  }
}

/** Our own setting for everything, else what programs commonly read; theirs are not checked here, as they are not ours. */
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
 * The package index that pip would ask: its variable, else the first of its files that names one, else PyPI. A value that is no address
 * is ignored: it is pip's setting, not ours.
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
    if (!(name.replace(/_FILE$/, '') in OPTIONS)) faults.push(`${name}: there is no such setting`)
  }
}

const LOOPBACK = /^(127(\.\d+){3}|localhost|::1|\[::1\])$/

/** The one address of our own authorization server: it is in every token, so it cannot depend on how a client connects. */
function ownIssuer ({ STENOBOX_PUBLIC_URL: publicUrl, STENOBOX_HOST: host, STENOBOX_PORT: port }: Values, faults: string[]): string {
  const fallback = host === '::1' ? `http://[::1]:${port}` : `http://${host}:${port}`
  const fault = (reason: string): void => { faults.push(`STENOBOX_OAUTH_SERVER: ${reason}`) }
  if (publicUrl === '' && (port === 0 || !LOOPBACK.test(host))) fault('clients need one address that stays: set STENOBOX_PUBLIC_URL')
  if (publicUrl !== '' && !publicUrl.startsWith('https:') && !LOOPBACK.test(new URL(publicUrl).hostname)) {
    fault('passwords must not cross a network readable: STENOBOX_PUBLIC_URL has to begin with https, or be on this machine')
  }
  return publicUrl || fallback
}

function readOauth (values: Values, faults: string[]): OauthConfig | undefined {
  const server = values.STENOBOX_OAUTH_SERVER === 'true'
  const provider = values.STENOBOX_OAUTH_ISSUER
  if (!server && values.STENOBOX_OAUTH_REGISTRATION === 'true') faults.push('STENOBOX_OAUTH_REGISTRATION: clients can register only where STENOBOX_OAUTH_SERVER is true')
  if (!server && provider === '') return undefined
  if (server && provider !== '') faults.push('STENOBOX_OAUTH_ISSUER and STENOBOX_OAUTH_SERVER: tokens come from one issuer: keep one')
  const own = server ? ownIssuer(values, faults) : ''
  if (server && values.STENOBOX_OAUTH_AUDIENCE !== '') faults.push('STENOBOX_OAUTH_AUDIENCE: tokens of our own server are always meant for its own address: leave it out')
  const audience = own || values.STENOBOX_OAUTH_AUDIENCE
  const { STENOBOX_PUBLIC_URL: publicUrl } = values
  if (audience === '' && publicUrl === '') faults.push('STENOBOX_OAUTH_AUDIENCE: say what the tokens of STENOBOX_OAUTH_ISSUER are meant for, or set STENOBOX_PUBLIC_URL')
  return Object.freeze({
    issuer: own || provider,
    // Providers put into tokens what a client asked for, which is a name that our metadata told it.
    audiences: audience === '' && publicUrl !== '' ? resourceNames(publicUrl) : [audience],
    server,
    registration: values.STENOBOX_OAUTH_REGISTRATION === 'true',
    ownerClaim: values.STENOBOX_OAUTH_OWNER_CLAIM,
    createOwners: values.STENOBOX_OAUTH_CREATE_OWNERS === 'true'
  })
}

/** Throws `ConfigError` naming every fault at once. */
export function readConfig (env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  refuseUnknown(env, faults)
  const values = Object.fromEntries(Object.entries<Option<string | number | AllowList>>(OPTIONS).map(([name, option]) => {
    const given = readVariable(env, name, faults)
    const value = given === undefined ? option.fallback : option.parse(given)
    if (value === undefined) faults.push(`${name}: must be ${typeof option.expected === 'string' ? option.expected : option.expected(given ?? '')}`)
    return [name, value]
  })) as Values
  // Only whole values can be compared with each other.
  const oauth = faults.length === 0 ? readOauth(values, faults) : undefined
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return Object.freeze({
    host: values.STENOBOX_HOST,
    port: values.STENOBOX_PORT,
    publicUrl: values.STENOBOX_PUBLIC_URL || undefined,
    adminPassword: values.STENOBOX_ADMIN_PASSWORD || undefined,
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
    searchPath: env['PATH'] ?? '',
    workers: values.STENOBOX_WORKERS,
    threadsPerWorker: values.STENOBOX_THREADS_PER_WORKER,
    gpu: values.STENOBOX_GPU,
    logLevel: values.STENOBOX_LOG_LEVEL,
    maxMediaBytes: values.STENOBOX_MAX_MEDIA_BYTES,
    maxMediaSeconds: values.STENOBOX_MAX_MEDIA_SECONDS,
    maxQueued: values.STENOBOX_MAX_QUEUED,
    minFreeBytes: values.STENOBOX_MIN_FREE_BYTES,
    keepMedia: values.STENOBOX_KEEP_MEDIA === 'true',
    retentionDays: values.STENOBOX_RETENTION_DAYS
  })
}
