/** Errors of requests to other machines. */
import type { Purpose } from './addresses.js'

const SENTENCES = {
  blocked: 'The address, or its port, is not on the public internet, and this appliance may not reach it. ' +
    'The administrator can allow it in SETTING.',
  offline: 'This appliance is set to stay offline. The administrator can change that with STENOBOX_OFFLINE.',
  invalid_url: 'This is not a complete http or https address. Check it for missing or wrong characters.',
  unreachable: 'The server cannot be reached. Check the address, and that the server is running.',
  tls: 'The server shows a certificate that is not trusted here. ' +
    'Renew it, or let the administrator name its authority in NODE_EXTRA_CA_CERTS.',
  timeout: 'The server took too long. Try again later.',
  too_large: 'The server sends more than is accepted here.',
  too_many_redirects: 'The address redirects too often. Use the address it should lead to.',
  invalid_redirect: 'The address redirects to something that is no http or https address, or from https to http. ' +
    'Use the address it should lead to.',
  broken: 'The connection broke, or the server does not speak proper HTTP. Try again later.',
  failed: 'The request failed for an unexpected reason. The log holds its code.',
  aborted: 'The transfer was stopped.',
  invalid_proxy: 'The proxy must be an address like http://proxy.example:3128; see STENOBOX_HTTP_PROXY, HTTPS_PROXY and HTTP_PROXY.',
  refused_by_proxy: 'The proxy does not let this machine reach the server.',
  not_found: 'There is nothing at the address.',
  forbidden: 'The server wants a login, or does not serve this network.',
  unavailable: 'The server is busy or has a fault. Try again later.',
  packed: 'The server compresses the file although it was asked not to. Use another address, or upload the file.',
  refused: 'The server answers with something other than the file.',
  incomplete: 'The server ended the file before its end. Try again later.',
  wrong_length: 'The file has another length than expected.',
  busy: 'Too many of your lookups wait for name servers that do not answer. Try again in a minute.',
  too_slow: 'The server sends next to nothing. Try again later.'
}
export type FetchErrorCode = keyof typeof SENTENCES

const SETTINGS: Readonly<Record<Purpose, string>> = {
  sources: 'STENOBOX_ALLOW_SOURCES',
  webhooks: 'STENOBOX_ALLOW_WEBHOOKS',
  oauth: 'STENOBOX_ALLOW_OAUTH',
  models: 'STENOBOX_ALLOW_MODELS'
}

/** Codes of errors that often disappear within seconds, so that a retry is worthwhile. */
const TRANSIENT: ReadonlySet<FetchErrorCode> = new Set<FetchErrorCode>([
  'unreachable', 'timeout', 'broken', 'unavailable', 'incomplete', 'busy'
])
/** The name does not exist, according to the name service. A retry would not help. */
const NO_SUCH_NAME = 'ENOTFOUND'

/** A request to another machine failed. The message is for people and contains no part of any address. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code: FetchErrorCode
  readonly purpose: Purpose
  /** For the log: an error code of the system or of TLS, such as ECONNREFUSED, or the HTTP status. */
  readonly detail: string | undefined
  /** Private, because loggers write every enumerable property, and hosts must not be logged. */
  readonly #host: string | undefined

  constructor (code: FetchErrorCode, purpose: Purpose, detail?: string, host?: string) {
    // No `cause`: errors of the system contain addresses.
    super(SENTENCES[code].replace('SETTING', SETTINGS[purpose]))
    this.code = code
    this.purpose = purpose
    this.detail = detail
    this.#host = host
  }

  /** Host and port of the server that failed, if known. Only for a person who may see it; never for the log. */
  get host (): string | undefined {
    return this.#host
  }

  /** True when another attempt may succeed. */
  get isTransient (): boolean {
    return TRANSIENT.has(this.code) && this.detail !== NO_SUCH_NAME
  }
}
