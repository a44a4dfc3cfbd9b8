/** Our own authorization server: its clients, grants, records and signing key. */
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { AppError } from '../domain/errors.js'
import { isRedirectUri } from '../domain/oauth.js'
import type { Connection, OauthClient, OauthGrant } from '../domain/oauth.js'
import type { InTransaction } from '../store/database.js'
import type { ClientMetadata, OauthStore } from '../store/oauth.js'

/** Anyone may register a client, so there has to be a limit. */
const MAX_DYNAMIC_CLIENTS = 1000
/** A self-registered client without grants is removed after this time; after the length of a login when there are too many. */
const UNUSED_CLIENT_MS = 7 * 24 * 60 * 60_000
const LOGIN_MS = 15 * 60_000

/** Each open login of a client is a row; anyone can start one. */
const MAX_OPEN_LOGINS = 20_000

const NO_REDIRECT = 'cannot be a redirect address: use https, http on this machine, or an app\'s own scheme, without a fragment.'

/** Programs that one owner has connected, in a list that a person reads. */
const MAX_CONNECTIONS = 500

type Deps = { oauth: OauthStore, inTransaction: InTransaction, now: () => number }
type Payload = Readonly<Record<string, unknown>>
export type Jwk = Readonly<Record<string, unknown>>

/** A plain hash is enough: ids of records hold 256 random bits, or belong to requests that last minutes. */
const hashId = (id: string): Buffer => createHash('sha256').update(id).digest()
const textOf = (value: unknown): string | undefined => typeof value === 'string' && value !== '' ? value : undefined

/** Creates a key pair for ES256 (RFC 7518), named by its thumbprint (RFC 7638). */
function createKey (): Jwk {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const { crv, kty, x, y } = jwk
  return { ...jwk, kid: createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'), alg: 'ES256', use: 'sig' }
}

/** The public part of a key. */
export function publicPart ({ kty, crv, x, y, kid, alg, use }: Jwk): Jwk {
  return { kty, crv, x, y, kid, alg, use }
}

/** Throws `invalid_request` for addresses that must not receive authorization codes. */
function requireRedirectUris (uris: readonly string[]): void {
  const wrong = uris.find((uri) => !isRedirectUri(uri))
  if (wrong !== undefined) throw new AppError('invalid_request', `redirect_uris: ${wrong} ${NO_REDIRECT}`)
}

function createClients ({ oauth, inTransaction, now }: Deps) {
  return {
    /** Adds a client for the administrator. Throws `invalid_request` for redirect addresses that are not allowed. */
    addClient ({ name, redirectUris }: { name: string, redirectUris: readonly string[] }): OauthClient {
      requireRedirectUris(redirectUris)
      const id = randomUUID()
      oauth.insertClient(id, { client_id: id, client_name: name, redirect_uris: [...redirectUris] }, false, now())
      return { id, name, redirectUris: [...redirectUris], isDynamic: false, createdAt: now() }
    },
    /**
     * Adds a client that registers itself. Throws `invalid_request` for redirect addresses that are not allowed, and `conflict` when there
     * are too many clients.
     */
    registerClient (id: string, metadata: ClientMetadata): void {
      requireRedirectUris(metadata['redirect_uris'] as string[])
      inTransaction(() => {
        if (oauth.countDynamicClients() >= MAX_DYNAMIC_CLIENTS) oauth.removeUnusedClients(now() - LOGIN_MS)
        if (oauth.countDynamicClients() >= MAX_DYNAMIC_CLIENTS) {
          throw new AppError(
            'conflict', 'Too many programs are registered. The administrator can remove some: stenobox oauth clients remove'
          )
        }
        oauth.insertClient(id, metadata, true, now())
      })
    },
    findClient: oauth.findClient,
    findClientMetadata: oauth.findClientMetadata,
    listClients: oauth.listClients,
    /** Removes a client and its grants. False when there is no such client. */
    removeClient: oauth.removeClient
  }
}

function createRecords ({ oauth, now }: Deps) {
  /** Throws `unavailable` when too many logins are open. */
  function requireRoom (): void {
    if (oauth.countRecords('Interaction') < MAX_OPEN_LOGINS) return
    oauth.removeExpired(now())
    if (oauth.countRecords('Interaction') < MAX_OPEN_LOGINS) return
    throw new AppError('unavailable', 'Too many people are logging in at once. Try again in a few minutes.')
  }

  return {
    /** Stores a record. Throws `unavailable` when too many logins are open. */
    saveRecord (kind: string, id: string, payload: Payload, lifetimeS: number): void {
      if (kind === 'Interaction') requireRoom()
      const { jti: _, ...kept } = payload
      oauth.upsertRecord({
        kind,
        idHash: hashId(id),
        payload: kept,
        uid: textOf(payload['uid']),
        grantId: kind === 'Grant' ? id : textOf(payload['grantId']),
        ownerId: textOf(payload['accountId']) === undefined ? undefined : Number(payload['accountId']),
        clientId: textOf(payload['clientId']),
        expiresAt: now() + lifetimeS * 1000
      }, now())
    },
    findRecord (kind: string, id: string): Record<string, unknown> | undefined {
      const found = oauth.findRecord(kind, hashId(id), now())
      return (
        found && {
          ...found.payload,
          jti: id,
          ...(found.consumedAt === undefined ? {} : { consumed: Math.floor(found.consumedAt / 1000) })
        }
      )
    },
    /** The record without its id, which is not stored. */
    findRecordByUid: (kind: string, uid: string): Record<string, unknown> | undefined => oauth.findRecordByUid(kind, uid, now())?.payload,
    /** Marks a record as used. False when it was used already. */
    consumeRecord: (kind: string, id: string): boolean => oauth.consumeRecord(kind, hashId(id), now()),
    removeRecord: (kind: string, id: string): void => { oauth.removeRecord(kind, hashId(id)) }
  }
}

export function createOauth (deps: Deps) {
  const { oauth, now } = deps
  return {
    ...createClients(deps),
    ...createRecords(deps),
    listGrants: (): OauthGrant[] => oauth.listGrants(now()),
    /** Removes a grant: refresh stops at once, access tokens last for their remaining minutes. False when there is no such grant. */
    revokeGrant: oauth.removeOfGrant,
    /** The programs that an owner has given access, oldest first. */
    listConnections: (ownerId: number): Connection[] => oauth.listConnections(ownerId, now(), MAX_CONNECTIONS),
    /** Ends the access of a program, as `revokeGrant`. Throws `not_found`, also when another owner gave the access. */
    disconnect (id: string, ownerId: number): void {
      if (!oauth.ownsGrant(ownerId, id)) throw new AppError('not_found', 'There is no such connection.')
      oauth.removeOfGrant(id)
    },
    /** The private key, created on first use. */
    signingKey (): Jwk {
      if (!oauth.findKey()) oauth.insertKey(createKey(), now())
      const key = oauth.findKey()
      if (!key) throw new Error('key vanished after insert')
      return key
    },
    /** Removes expired records and self-registered clients that were never used. */
    sweep (): void {
      oauth.removeExpired(now())
      oauth.removeUnusedClients(now() - UNUSED_CLIENT_MS)
    }
  }
}
export type Oauth = ReturnType<typeof createOauth>
