/** TLS of the HTTP server. */
import type { Config } from '../config.js'
import { createCertificateWatch, readCertificate, tlsOptions } from '../engine/http/certificate.js'
import type { CertificateWatch } from '../engine/http/certificate.js'
import type { Logger } from '../logger.js'

/** A server that can change its certificate while it runs. */
type SecureServer = { setSecureContext (options: ReturnType<typeof tlsOptions>): void }

/** Undefined without a certificate. Throws an Error that says which file is wrong. */
export async function createTls ({ tls: paths }: Config, log: Logger, now: () => number) {
  if (!paths) return undefined
  const first = await readCertificate(paths)
  return {
    options: tlsOptions(first),
    /** The certificate of `server`, which changes with the files once the watch is started. */
    watch: (server: SecureServer): CertificateWatch =>
      createCertificateWatch(first, { paths, apply: (next) => { server.setSecureContext(tlsOptions(next)) }, log, now })
  }
}
