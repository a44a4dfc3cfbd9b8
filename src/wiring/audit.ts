/** The audit log of the configuration. */
import type { Config } from '../config.js'
import type { Logger } from '../logger.js'
import { createAudit } from '../service/audit.js'
import type { Audit } from '../service/audit.js'
import { createAuditLog } from '../store/audit-log.js'

/** Throws an Error that says what to do when the file cannot be written. */
export function openAudit ({ auditLog: path }: Pick<Config, 'auditLog'>, log: Pick<Logger, 'error'>, now: () => number): Audit {
  try {
    return createAudit({ file: path === undefined ? undefined : createAuditLog(path), log, now })
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    throw new Error(`STENOBOX_AUDIT_LOG: ${path} cannot be written (${reason}); create its folder, or name another file`, { cause })
  }
}
