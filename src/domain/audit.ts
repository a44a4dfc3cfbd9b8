/** Who did what: the events of the audit log. They never hold transcripts, names of files, keys or queries. */
import { PLANS } from './access.js'

/**
 * Who acted. `session`: a person who is signed in on the page. `command`: a user of this machine, with the number of the user. `appliance`:
 * the server itself, as in retention.
 */
export type AuditActor =
  | { type: 'key', keyId: number, ownerId: number }
  | { type: 'token', ownerId: number }
  | { type: 'administrator', session: string }
  | { type: 'session', sessionId: number, ownerId: number }
  | { type: 'owner', ownerId: number }
  | { type: 'command', uid: number | undefined }
  | { type: 'appliance' }
  | { type: 'nobody' }

/** A record, so that the compiler finds a missing actor. */
const EVERY_ACTOR: Readonly<Record<AuditActor['type'], true>> = {
  key: true, token: true, administrator: true, session: true, owner: true, command: true, appliance: true, nobody: true
}
export const ACTOR_TYPES = Object.keys(EVERY_ACTOR) as Array<AuditActor['type']>

export type AuditEvent = {
  actor: AuditActor
  /** The operationId of the HTTP interface, or a command such as `stenobox keys revoke`. */
  operation: string
  /** The objects of the act: ids by name. */
  target?: Readonly<Record<string, number | string>>
  requestId?: string
  /** Of the client. */
  address?: string
  /** HTTP status. */
  status?: number
  /** Of commands. */
  outcome?: 'begun' | 'done' | 'failed'
}

const ID_NAME = /^(id|[a-z]\w*Id|partNumber)$/
/** Numbers, UUIDs and other hexadecimal ids: a path that was not checked yet may hold any text. */
const ID_VALUE = /^(\d{1,16}|[0-9a-f-]{8,36})$/

/** The ids among the fields of an object. Everything else, such as text of a caller, is left out. */
export function idsOf (fields: unknown): Record<string, number | string> {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return {}
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, number | string] => {
    const [name, value] = entry as [string, unknown]
    if (name === 'plan') return (PLANS as readonly unknown[]).includes(value)
    return ID_NAME.test(name) && (Number.isInteger(value) || (typeof value === 'string' && ID_VALUE.test(value)))
  }))
}
