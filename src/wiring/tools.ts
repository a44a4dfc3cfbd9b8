/** The parts of the appliance that single commands need, without the rest of it. */
import type { Config } from '../config.js'
import { createModels } from '../engine/models/models.js'
import { createEmbedding } from '../engine/text/embedder.js'
import { listEmbedders } from '../engine/text/embedding-models.js'
import type { Logger } from '../logger.js'
import type { Audit } from '../service/audit.js'
import { createBackups } from '../service/backups.js'
import type { Backups } from '../service/backups.js'
import { createIdentities } from '../service/identities.js'
import { createKeys } from '../service/keys.js'
import { createOauth } from '../service/oauth.js'
import { createOwners } from '../service/owners.js'
import { createPasswords } from '../service/passwords.js'
import { createSearch } from '../service/search.js'
import { createApiKeyStore } from '../store/api-keys.js'
import { isFile } from '../store/backups.js'
import { createTransaction, openDatabase } from '../store/database.js'
import { createIdentityStore } from '../store/identities.js'
import { createJobStore } from '../store/jobs.js'
import { createLibraryPool } from '../store/library-pool.js'
import { createOauthStore } from '../store/oauth.js'
import { createOwnerStore } from '../store/owners.js'
import { createSessionStore } from '../store/sessions.js'
import { openAudit } from './audit.js'

/** Keys alone: what `stenobox keys` needs. Opens the database and nothing else. */
export function createKeyring (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const inTransaction = createTransaction(db)
  const keys = createKeys({ apiKeys: createApiKeyStore(db), inTransaction, now })
  const stores = { owners: createOwnerStore(db), identities: createIdentityStore(db), sessions: createSessionStore(db) }
  const owners = createOwners({ ...stores, passwords: createPasswords(), inTransaction, now, keepsLastAdministrator: false })
  const identities = createIdentities({ ...stores, inTransaction, now })
  return { keys, owners, identities, close: (): void => { db.close() } }
}

/** Search alone: what `stenobox search` needs. */
export function createSearchTools (config: Config, log: Logger, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const keys = createKeys({ apiKeys: createApiKeyStore(db), inTransaction: createTransaction(db), now })
  const models = createModels(config.modelsDir)
  const embedding = createEmbedding(() => listEmbedders(models))
  const library = createLibraryPool(config.dataDir)
  return {
    keys,
    search: createSearch({ library, embedderOf: embedding.find, jobs: createJobStore(db), log }),
    async close (): Promise<void> {
      await Promise.all([embedding.close(), library.close()])
      db.close()
    }
  }
}

/** Clients and grants of our own authorization server: what `stenobox oauth` needs. Opens the database and nothing else. */
export function createOauthTools (config: Config, now: () => number = Date.now) {
  const db = openDatabase(config.dataDir)
  const oauth = createOauth({ oauth: createOauthStore(db), inTransaction: createTransaction(db), now })
  return { oauth, close: (): void => { db.close() } }
}

/** Where commands are recorded. Throws an Error when the file cannot be written. */
export const openCommandAudit = (config: Config, log: Logger): Audit => openAudit(config, log, Date.now)

/** What `stenobox backup` and `stenobox restore` need. */
export const createBackupTools = ({ dataDir }: Config): Backups => createBackups({ openDatabase, isFile, dataDir, now: Date.now })
