/** Who may call, and how much: keys, tokens, owners, plans, usage. */
import type { OauthConfig } from '../config.js'
import type { Fetcher } from '../engine/http/fetcher.js'
import { createLocalKeys, createRemoteKeys } from '../engine/tokens/jwks.js'
import { createTokenVerifier } from '../engine/tokens/jwt.js'
import type { Logger } from '../logger.js'
import { createAccounts } from '../service/accounts.js'
import { createAdministration } from '../service/administration.js'
import { createIdempotency } from '../service/idempotency.js'
import { createKeys } from '../service/keys.js'
import { createLoginLimit } from '../service/login-limit.js'
import { createOauth, publicPart } from '../service/oauth.js'
import type { Oauth } from '../service/oauth.js'
import { createOwners } from '../service/owners.js'
import { createPasswords } from '../service/passwords.js'
import { createPlans } from '../service/plans.js'
import { createSessions } from '../service/sessions.js'
import { createSetup } from '../service/setup.js'
import { createTokens, ownersByClaim, ownersById } from '../service/tokens.js'
import type { Tokens } from '../service/tokens.js'
import { createUsage } from '../service/usage.js'
import type { InTransaction } from '../store/database.js'
import type { OwnerStore } from '../store/owners.js'
import type { Base } from './base.js'

/** What judges OAuth tokens: our own by the key at hand, a provider's by the keys it publishes. */
function createTokenService (
  config: OauthConfig,
  { owners, oauth, fetcher, log, now }: { owners: OwnerStore, oauth: Oauth, fetcher: Fetcher, log: Logger, now: () => number }
): Tokens {
  const { issuer, audiences, server, ownerClaim: claim, createOwners: create } = config
  const findKey = server ? createLocalKeys(publicPart(oauth.signingKey())) : createRemoteKeys({ issuer, fetcher, now, log })
  const findOwner = server ? ownersById(owners) : ownersByClaim({ owners, claim, create, now })
  return createTokens({ verify: createTokenVerifier({ issuer, audiences, findKey, now }), findOwner })
}

/** The services that identify callers and limit them. `inLazyTransaction` is for usage, which may wait. */
export async function createGate ({ config, stores, inTransaction, fetcher, log, now }: Base, inLazyTransaction: InTransaction) {
  const passwords = createPasswords()
  const passwordHash = config.adminPassword === undefined ? undefined : await passwords.hash(config.adminPassword)
  const oauth = createOauth({ oauth: stores.oauth, inTransaction, now })
  const plans = createPlans({ planLimits: stores.planLimits })
  const ownerLoginLimit = createLoginLimit({ now })
  const sessions = createSessions({ sessions: stores.sessions, inTransaction, now })
  const owners = createOwners({ owners: stores.owners, sessions: stores.sessions, passwords, inTransaction, now })
  return {
    accounts: createAccounts({ owners, sessions, plans, loginLimit: ownerLoginLimit, log }),
    keys: createKeys({ apiKeys: stores.apiKeys, inTransaction, now }),
    administration: createAdministration({ passwordHash, passwords, loginLimit: createLoginLimit({ now }), now, log }),
    idempotency: createIdempotency({ requests: stores.requests, inTransaction, now, log }),
    oauth,
    ownerLoginLimit,
    owners,
    plans,
    sessions,
    setup: createSetup({ owners: stores.owners, sessions, passwords, loginLimit: ownerLoginLimit, inTransaction, now, log }),
    tokens: config.oauth && createTokenService(config.oauth, { owners: stores.owners, oauth, fetcher, log, now }),
    usage: createUsage({ usage: stores.usage, plans, inLazyTransaction, now })
  }
}
