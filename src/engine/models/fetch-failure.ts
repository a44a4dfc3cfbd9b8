/** Explains network errors of model downloads: one sentence for the person at the terminal. */
import type { FetchError } from '../../domain/fetch-error.js'
import { withoutSecrets } from '../../domain/model-source.js'

/** What a server did, by the error code of the system or of undici. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'broke the connection',
  UND_ERR_SOCKET: 'broke the connection',
  UND_ERR_BODY_TIMEOUT: 'sent nothing for too long',
  UND_ERR_HEADERS_TIMEOUT: 'does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached',
  ETIMEDOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: is there a network',
  EAI_AGAIN: 'cannot be looked up: is there a network'
}
const OTHER_FAULTS: Readonly<Record<'unreachable' | 'timeout' | 'broken', string>> = {
  unreachable: 'cannot be reached',
  timeout: 'does not answer in time',
  broken: 'does not speak proper HTTP'
}

/** One sentence without its full stop. `url`: the first requested URL, before any redirect. */
export function describeFetchError ({ code, detail, host, message }: FetchError, url: URL): string {
  const server = host ?? url.host
  const address = withoutSecrets(url)
  switch (code) {
    case 'unreachable':
    case 'timeout':
    case 'broken':
      if (detail === 'ENOTFOUND') {
        return `the name ${server} is unknown in this network, or to its proxy; without a network, copy models with ` +
          '`stenobox models export` and `import`'
      }
      if (detail?.startsWith('within')) return `${server} does not answer ${detail}`
      return `${server} ${FAULTS[detail ?? ''] ?? OTHER_FAULTS[code]}${detail === undefined || detail in FAULTS ? '' : ` (${detail})`}`
    case 'tls':
      return `${server} shows a certificate that is not trusted here (${detail}); name your own authority in NODE_EXTRA_CA_CERTS`
    case 'blocked':
      return `${server} is not on the public internet, so no model is downloaded from it; allow it with STENOBOX_ALLOW_MODELS`
    case 'not_found':
      return `${address} is not there (status ${detail})`
    case 'forbidden':
      return detail === '407'
        ? 'the proxy wants a name and a password: http://name:password@proxy:port in STENOBOX_HTTP_PROXY'
        : `${address} may not be downloaded without permission (status ${detail})`
    case 'unavailable':
      return `${server} answers with status ${detail}`
    case 'refused':
      return `${address} cannot be downloaded (status ${detail})`
    case 'too_many_redirects':
      return `${server} redirects too often`
    case 'invalid_redirect':
      return `${server} redirects to an address that is not http or https, or from https to http; the redirect is not followed`
    case 'refused_by_proxy':
      return `the proxy does not let this machine reach ${server} (status ${detail})`
    case 'invalid_proxy':
      return 'the proxy must be an address like http://proxy.example:3128; see STENOBOX_HTTP_PROXY, HTTPS_PROXY and HTTP_PROXY'
    case 'incomplete':
      return `${server} ended before the end of the file`
    case 'too_slow':
      return `${server} sends almost no data; what has arrived is kept, run the same command again to continue`
    default:
      return `${address}: ${message.replace(/\.$/, '')}`
  }
}
