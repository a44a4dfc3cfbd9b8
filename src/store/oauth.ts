/** Our own authorization server: its clients, records and signing key. */
import { grantedScopes } from '../domain/oauth.js'
import type { Connection, OauthClient, OauthGrant } from '../domain/oauth.js'
import type { Database } from './database.js'

/** Client metadata, with the field names of RFC 7591. */
export type ClientMetadata = Readonly<Record<string, unknown>>
type ClientRow = { id: string, metadata: string, is_dynamic: 0 | 1, created_at: number }

/** A record of the authorization server, by kind (session, code, grant, …) and hashed id. */
export type OauthRecord = {
  kind: string
  idHash: Buffer
  payload: Readonly<Record<string, unknown>>
  uid: string | undefined
  grantId: string | undefined
  ownerId: number | undefined
  clientId: string | undefined
  expiresAt: number
}
export type FoundRecord = { payload: Record<string, unknown>, consumedAt: number | undefined }
type RecordRow = { payload: string, consumed_at: number | null }
type GrantRow = { grant_id: string, owner: string, client_metadata: string, created_at: number, expires_at: number }

type ConnectionRow = { grant_id: string, payload: string, client_metadata: string, created_at: number, last_used_at: number | null }

const nameOf = (metadata: ClientMetadata, id: string): string => typeof metadata['client_name'] === 'string' ? metadata['client_name'] : id

function toClient (row: ClientRow): OauthClient {
  const metadata = JSON.parse(row.metadata) as ClientMetadata
  return {
    id: row.id,
    name: nameOf(metadata, row.id),
    redirectUris: metadata['redirect_uris'] as string[],
    isDynamic: row.is_dynamic === 1,
    createdAt: row.created_at
  }
}

function toGrant (row: GrantRow): OauthGrant {
  const metadata = JSON.parse(row.client_metadata) as ClientMetadata
  return {
    id: row.grant_id,
    owner: row.owner,
    client: nameOf(metadata, String(metadata['client_id'])),
    createdAt: row.created_at,
    expiresAt: row.expires_at
  }
}

function toConnection (row: ConnectionRow): Connection {
  const metadata = JSON.parse(row.client_metadata) as ClientMetadata
  return {
    id: row.grant_id,
    clientName: nameOf(metadata, String(metadata['client_id'])),
    scopes: grantedScopes((JSON.parse(row.payload) as ClientMetadata)['resources']),
    createdAt: row.created_at,
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at })
  }
}

const toRecord = (row: RecordRow | undefined): FoundRecord | undefined =>
  row && { payload: JSON.parse(row.payload) as Record<string, unknown>, consumedAt: row.consumed_at ?? undefined }

function createClients (db: Database) {
  const insert = db.prepare<{ id: string, metadata: string, isDynamic: number, now: number }>(`
    INSERT INTO oauth_client (id, metadata, is_dynamic, created_at)
    VALUES (:id, :metadata, :isDynamic, :now)
  `)
  const find = db.prepare<{ id: string }, ClientRow>('SELECT id, metadata, is_dynamic, created_at FROM oauth_client WHERE id = :id')
  const list = db.prepare<[], ClientRow>('SELECT id, metadata, is_dynamic, created_at FROM oauth_client ORDER BY created_at, id')
  const count = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM oauth_client WHERE is_dynamic = 1')
  const remove = db.prepare<{ id: string }>('DELETE FROM oauth_client WHERE id = :id')
  const removeUnused = db.prepare<{ before: number }>(`
    DELETE FROM oauth_client
    WHERE is_dynamic = 1 AND created_at < :before
      AND NOT EXISTS (SELECT 1 FROM oauth_record r WHERE r.client_id = oauth_client.id)
  `)
  return {
    insertClient: (id: string, metadata: ClientMetadata, isDynamic: boolean, now: number): void => {
      insert.run({ id, metadata: JSON.stringify(metadata), isDynamic: Number(isDynamic), now })
    },
    findClient: (id: string): OauthClient | undefined => {
      const row = find.get({ id })
      return row && toClient(row)
    },
    findClientMetadata: (id: string): ClientMetadata | undefined => {
      const row = find.get({ id })
      return row && JSON.parse(row.metadata) as ClientMetadata
    },
    listClients: (): OauthClient[] => list.all().map(toClient),
    countDynamicClients: (): number => count.get()?.n ?? 0,
    /** Removes a client and its grants. False when there is no such client. */
    removeClient: (id: string): boolean => remove.run({ id }).changes === 1,
    /** Removes clients without records that registered themselves before `before`. */
    removeUnusedClients: (before: number): void => { removeUnused.run({ before }) }
  }
}

function createRecords (db: Database) {
  const upsert = db.prepare(`
    INSERT INTO oauth_record (kind, id_hash, payload, uid, grant_id, owner_id, client_id, created_at, expires_at)
    VALUES (:kind, :idHash, :payload, :uid, :grantId, :ownerId, :clientId, :now, :expiresAt)
    ON CONFLICT (kind, id_hash) DO UPDATE
    SET payload = excluded.payload, uid = excluded.uid, grant_id = excluded.grant_id, owner_id = excluded.owner_id,
      expires_at = excluded.expires_at
  `)
  const find = db.prepare<{ kind: string, idHash: Buffer, now: number }, RecordRow>(`
    SELECT payload, consumed_at
    FROM oauth_record
    WHERE kind = :kind AND id_hash = :idHash AND expires_at > :now
  `)
  const findByUid = db.prepare<{ kind: string, uid: string, now: number }, RecordRow>(`
    SELECT payload, consumed_at
    FROM oauth_record
    WHERE uid = :uid AND kind = :kind AND expires_at > :now
  `)
  const consume = db.prepare<{ kind: string, idHash: Buffer, now: number }>(`
    UPDATE oauth_record
    SET consumed_at = :now
    WHERE kind = :kind AND id_hash = :idHash AND consumed_at IS NULL
  `)
  const remove = db.prepare<{ kind: string, idHash: Buffer }>('DELETE FROM oauth_record WHERE kind = :kind AND id_hash = :idHash')
  const removeOfGrant = db.prepare<{ grantId: string }>('DELETE FROM oauth_record WHERE grant_id = :grantId')
  const removeExpired = db.prepare<{ now: number }>('DELETE FROM oauth_record WHERE expires_at <= :now')
  const count = db.prepare<{ kind: string }, { n: number }>('SELECT count(*) AS n FROM oauth_record WHERE kind = :kind')
  const grants = db.prepare<{ now: number }, GrantRow>(`
    SELECT r.grant_id, o.name AS owner, c.metadata AS client_metadata, r.created_at, r.expires_at
    FROM oauth_record r JOIN owner o ON o.id = r.owner_id JOIN oauth_client c ON c.id = r.client_id
    WHERE r.kind = 'Grant' AND r.expires_at > :now
    ORDER BY r.created_at, r.grant_id
  `)
  // Tokens of a grant are records too; each refresh adds one.
  const connections = db.prepare<{ ownerId: number, now: number, limit: number }, ConnectionRow>(`
    SELECT r.grant_id, r.payload, c.metadata AS client_metadata, r.created_at,
      (SELECT max(t.created_at) FROM oauth_record t WHERE t.grant_id = r.grant_id AND t.kind <> 'Grant') AS last_used_at
    FROM oauth_record r JOIN oauth_client c ON c.id = r.client_id
    WHERE r.owner_id = :ownerId AND r.kind = 'Grant' AND r.expires_at > :now
    ORDER BY r.created_at, r.grant_id
    LIMIT :limit
  `)
  const ownsGrant = db.prepare<{ ownerId: number, grantId: string }>(`
    SELECT 1 FROM oauth_record WHERE grant_id = :grantId AND kind = 'Grant' AND owner_id = :ownerId
  `)
  return {
    upsertRecord ({ payload, uid, grantId, ownerId, clientId, ...record }: OauthRecord, now: number): void {
      upsert.run({
        ...record,
        payload: JSON.stringify(payload),
        uid: uid ?? null,
        grantId: grantId ?? null,
        ownerId: ownerId ?? null,
        clientId: clientId ?? null,
        now
      })
    },
    findRecord: (kind: string, idHash: Buffer, now: number): FoundRecord | undefined => toRecord(find.get({ kind, idHash, now })),
    findRecordByUid: (kind: string, uid: string, now: number): FoundRecord | undefined => toRecord(findByUid.get({ kind, uid, now })),
    /** False when the record is gone or already used. Of two concurrent calls, one gets true. */
    consumeRecord: (kind: string, idHash: Buffer, now: number): boolean => consume.run({ kind, idHash, now }).changes === 1,
    removeRecord: (kind: string, idHash: Buffer): void => { remove.run({ kind, idHash }) },
    /** Removes a grant with all its codes and tokens. False when there is none. */
    removeOfGrant: (grantId: string): boolean => removeOfGrant.run({ grantId }).changes > 0,
    removeExpired: (now: number): void => { removeExpired.run({ now }) },
    countRecords: (kind: string): number => count.get({ kind })?.n ?? 0,
    /** The grants of an owner, oldest first. */
    listConnections: (ownerId: number, now: number, limit: number): Connection[] =>
      connections.all({ ownerId, now, limit }).map(toConnection),
    ownsGrant: (ownerId: number, grantId: string): boolean => ownsGrant.get({ ownerId, grantId }) !== undefined,
    listGrants: (now: number): OauthGrant[] => grants.all({ now }).map(toGrant)
  }
}

export function createOauthStore (db: Database) {
  const insertKey = db.prepare<{ jwk: string, now: number }>(
    'INSERT INTO oauth_key (id, jwk, created_at) VALUES (1, :jwk, :now) ON CONFLICT (id) DO NOTHING'
  )
  const findKey = db.prepare<[], { jwk: string }>('SELECT jwk FROM oauth_key WHERE id = 1')
  return {
    ...createClients(db),
    ...createRecords(db),
    findKey: (): Record<string, unknown> | undefined => {
      const row = findKey.get()
      return row && JSON.parse(row.jwk) as Record<string, unknown>
    },
    /** Does nothing if there is already a key. */
    insertKey: (jwk: Readonly<Record<string, unknown>>, now: number): void => { insertKey.run({ jwk: JSON.stringify(jwk), now }) }
  }
}
export type OauthStore = ReturnType<typeof createOauthStore>
