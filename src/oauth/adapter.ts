/** Stores the records of oidc-provider in our database. */
import { errors } from 'oidc-provider'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { AppError } from '../domain/errors.js'
import type { Oauth } from '../service/oauth.js'

type Store = Pick<
  Oauth,
  | 'findClientMetadata'
  | 'registerClient'
  | 'saveRecord'
  | 'findRecord'
  | 'findRecordByUid'
  | 'consumeRecord'
  | 'removeRecord'
  | 'revokeGrant'
>

function refuse (): never {
  throw new Error('not used: clients are not changed, and there is no device flow')
}

/** Runs `work` and turns its AppErrors into protocol errors. */
function translate (work: () => void, toError: (message: string) => Error): void {
  try {
    work()
  } catch (error) {
    throw error instanceof AppError ? toError(error.message) : error
  }
}

function createClientAdapter ({ findClientMetadata, registerClient }: Store): Adapter {
  return {
    async find (id) { return findClientMetadata(id) as AdapterPayload | undefined },
    async upsert (id, metadata) {
      translate(() => { registerClient(id, metadata) }, (message) => new errors.InvalidClientMetadata(message))
    },
    findByUserCode: refuse,
    findByUid: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse
  }
}

/** Removes the session id from an interaction: it is the session's cookie, and nothing reads the copy. */
function withoutCookie (payload: AdapterPayload): AdapterPayload {
  if (!payload.session) return payload
  const { cookie: _, ...session } = payload.session as typeof payload.session & { cookie?: string }
  return { ...payload, session }
}

export function createAdapter (store: Store): AdapterFactory {
  return (kind) => kind === 'Client'
    ? createClientAdapter(store)
    : {
        async upsert (id, payload, expiresIn = 0) {
          translate(
            () => {
              store.saveRecord(kind, id, withoutCookie(payload), expiresIn)
            },
            (message) => new errors.TemporarilyUnavailable(message)
          )
        },
        async find (id) { return store.findRecord(kind, id) },
        async findByUid (uid) { return store.findRecordByUid(kind, uid) },
        async consume (id) {
          // oidc-provider checks first and consumes later. Of two concurrent requests, this refuses the second.
          if (!store.consumeRecord(kind, id)) throw new errors.InvalidGrant('already used')
        },
        async destroy (id) { store.removeRecord(kind, id) },
        async revokeByGrantId (grantId) { store.revokeGrant(grantId) },
        findByUserCode: refuse
      }
}
