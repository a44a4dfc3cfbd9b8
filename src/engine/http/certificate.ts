/** The TLS certificate of the server: a chain and its private key in two files, read again when they change. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { errorCode } from '../../domain/errors.js'
import type { Log } from '../../domain/log.js'

export type CertificatePaths = Readonly<{ certificatePath: string, keyPath: string }>
/** Both as PEM. `expiresAt`: ms since 1970. */
export type Certificate = Readonly<{ cert: string, key: string, expiresAt: number }>

const MIN_VERSION = 'TLSv1.2'
/** How often the files are compared. inotify would miss replaced symlinks and network file systems. */
const CHECK_MS = 3000
const DAY_MS = 24 * 3_600_000

/** Options of the HTTPS server. Node offers TLS 1.2 and 1.3 with ciphers that keep past traffic secret. */
export const tlsOptions = ({ cert, key }: Certificate) => ({ cert, key, minVersion: MIN_VERSION, handshakeTimeout: 20_000 } as const)

async function readPem (path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new Error(`${name}: ${path} cannot be read (${errorCode(cause) ?? 'unknown reason'})`, { cause })
  }
}

/** Reads the files and checks that they belong together. Throws an Error that says which file is wrong. */
export async function readCertificate ({ certificatePath, keyPath }: CertificatePaths): Promise<Certificate> {
  const [cert, key] = [await readPem(certificatePath, 'STENOBOX_TLS_CERTIFICATE'), await readPem(keyPath, 'STENOBOX_TLS_KEY')]
  const attempt = <T>(work: () => T, sentence: string): T => {
    try {
      return work()
    } catch (cause) {
      throw new Error(sentence, { cause })
    }
  }
  const leaf = attempt(() => new X509Certificate(cert), `STENOBOX_TLS_CERTIFICATE: ${certificatePath} is not a certificate in PEM`)
  const parsed = attempt(() => createPrivateKey(key), `STENOBOX_TLS_KEY: ${keyPath} is not a private key in PEM without a password`)
  if (!leaf.checkPrivateKey(parsed)) throw new Error(`STENOBOX_TLS_KEY: ${keyPath} is not the key of the certificate ${certificatePath}`)
  attempt(() => createSecureContext({ cert, key }), `STENOBOX_TLS_CERTIFICATE: ${certificatePath} cannot be used`)
  return { cert, key, expiresAt: Date.parse(leaf.validTo) }
}

/** A text that differs when a file or the target of a symlink has been replaced or written. */
async function fingerprint (paths: CertificatePaths): Promise<string> {
  const parts = await Promise.all([paths.certificatePath, paths.keyPath].map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    return found ? [found.dev, found.ino, found.size, found.mtimeNs].join(':') : 'missing'
  }))
  return parts.join(' ')
}

type Deps = {
  paths: CertificatePaths
  /** Called with each new certificate that is valid. */
  apply: (certificate: Certificate) => void
  log: Pick<Log, 'info' | 'warn' | 'error'>
  now: () => number
}

/** Follows changes of the files. `current`: the certificate in use. */
export function createCertificateWatch (current: Certificate, { paths, apply, log, now }: Deps) {
  let used = current
  let seen: string | undefined
  let isBroken = false
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> = Promise.resolve()

  function warnOfExpiry (): void {
    const days = Math.floor((used.expiresAt - now()) / DAY_MS)
    if (days < 0) log.error({ expiresAt: new Date(used.expiresAt).toISOString() }, 'the TLS certificate has expired; clients refuse it')
    else if (days < 14) log.warn({ days }, 'the TLS certificate expires soon; renew it')
  }

  /** Logs a broken pair once, and only if it is still there at the next check: the two files are not replaced at the same moment. */
  function keep (print: string, wasBroken: boolean, error: unknown): void {
    isBroken = true
    if (!wasBroken) return
    seen = print
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ reason }, 'the new TLS certificate cannot be used; the old one stays')
  }

  async function compare (): Promise<void> {
    const print = await fingerprint(paths)
    if (print === seen) return
    const wasBroken = isBroken
    try {
      const next = await readCertificate(paths)
      isBroken = false
      seen = print
      if (next.cert === used.cert && next.key === used.key) return
      apply(next)
      used = next
      log.info({ expiresAt: new Date(next.expiresAt).toISOString() }, 'the TLS certificate was read again')
      warnOfExpiry()
    } catch (error) {
      keep(print, wasBroken, error)
    }
  }

  const check = (): Promise<void> => (checking = checking.then(compare))

  return {
    /** When the certificate in use expires, in ms since 1970. */
    expiresAt: (): number => used.expiresAt,
    /** Compares the files now. */
    check,
    start (everyMs = CHECK_MS): void {
      warnOfExpiry()
      timer = setInterval(check, everyMs).unref()
    },
    async stop (): Promise<void> {
      clearInterval(timer)
      await checking
    }
  }
}
export type CertificateWatch = ReturnType<typeof createCertificateWatch>
