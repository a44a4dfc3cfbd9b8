/** Who may call, and how much: keys, tokens, owners, plans, usage. */
import type { OauthConfig } from '../config.js'
import { createLocalKeys, createRemoteKeys } from '../engine/tokens/jwks.js'
import type { FindKey } from '../engine/tokens/jwks.js'
import { createTokenVerifier } from '../engine/tokens/jwt.js'
import { createProvider } from '../engine/tokens/provider.js'
import { createAccounts } from '../service/accounts.js'
import { createAdministration } from '../service/administration.js'
import { createIdempotency } from '../service/idempotency.js'
import { createIdentities } from '../service/identities.js'
import { createKeys } from '../service/keys.js'
import { createLoginLimit } from '../service/login-limit.js'
import { createOauth, publicPart } from '../service/oauth.js'
import type { Oauth } from '../service/oauth.js'
import { createOwners } from '../service/owners.js'
import { createPasswords } from '../service/passwords.js'
import { createPlans } from '../service/plans.js'
import { createProviderSignIn } from '../service/provider-sign-in.js'
import type { ProviderSignIn } from '../service/provider-sign-in.js'
import { createProviderVisits } from '../service/provider-visits.js'
import { createSessions } from '../service/sessions.js'
import { createSetup } from '../service/setup.js'
import { createTokens, ownersByClaim, ownersById } from '../service/tokens.js'
import type { Tokens } from '../service/tokens.js'
import { createUsage } from '../service/usage.js'
import type { InTransaction } from '../store/database.js'
import type { OwnerStore } from '../store/owners.js'
import type { Base } from './base.js'

type OauthDeps = Pick<Base, 'fetcher' | 'log' | 'now'> & { owners: OwnerStore, oauth: Oauth }

/** The keys that tokens of the issuer are signed with: our own is at hand, a provider publishes its keys. */
function createKeySource ({ issuer, server }: OauthConfig, { oauth, fetcher, now, log }: OauthDeps): FindKey {
  return server ? createLocalKeys(publicPart(oauth.signingKey())) : createRemoteKeys({ issuer, fetcher, now, log })
}

/** Creates what checks OAuth tokens. */
function createTokenService (config: OauthConfig, findKey: FindKey, { owners, now }: OauthDeps): Tokens {
  const { issuer, audiences, server, ownerClaim: claim, createOwners: create } = config
  const findOwner = server ? ownersById(owners) : ownersByClaim({ owners, claim, create, now })
  return createTokens({ verify: createTokenVerifier({ issuer, audiences, findKey, now }), findOwner })
}

type SignInDeps = Omit<Parameters<typeof createProviderSignIn>[0], 'issuer' | 'nameClaim' | 'createAccounts' | 'provider' | 'visits'>

/** Sign-in at the provider. New accounts are named by a claim of the profile, unless it is the one that every token has. */
function createSignIn (
  { issuer, ownerClaim: nameClaim, signIn }: OauthConfig, findKey: FindKey, { fetcher, now, log }: OauthDeps, deps: SignInDeps
): ProviderSignIn | undefined {
  if (!signIn) return undefined
  const { createAccounts, ...client } = signIn
  const scopes = createAccounts && nameClaim !== 'sub' ? 'openid profile email' : 'openid'
  const provider = createProvider({ issuer, ...client, scopes, findKey, fetcher, now, log })
  return createProviderSignIn({ ...deps, issuer, nameClaim, createAccounts, provider, visits: createProviderVisits({ now }) })
}

/** The services that identify callers and limit them. `inLazyTransaction` is for usage, which may wait. */
export async function createGate (base: Base, inLazyTransaction: InTransaction) {
  const { config, stores, inTransaction, inUnsyncedTransaction, fetcher, log, now } = base
  const passwords = createPasswords()
  const passwordHash = config.adminPassword === undefined ? undefined : await passwords.hash(config.adminPassword)
  const oauth = createOauth({ oauth: stores.oauth, inTransaction, now })
  const plans = createPlans({ planLimits: stores.planLimits })
  const loginLimit = createLoginLimit({ now })
  const sessions = createSessions({ sessions: stores.sessions, inTransaction, now })
  const accountStores = { owners: stores.owners, identities: stores.identities, sessions: stores.sessions }
  const owners = createOwners({ ...accountStores, passwords, inTransaction, now, keepsLastAdministrator: true })
  const identities = createIdentities({ ...accountStores, inTransaction, now })
  const oauthDeps = { owners: stores.owners, oauth, fetcher, log, now }
  const findKey = config.oauth && createKeySource(config.oauth, oauthDeps)
  const issuer = config.oauth?.signIn && config.oauth.issuer
  const accounts = createAccounts({ owners, sessions, plans, loginLimit, identities, issuer, now, log })
  return {
    accounts,
    keys: createKeys({ apiKeys: stores.apiKeys, inTransaction, now }),
    administration: createAdministration({ passwordHash, passwords, loginLimit: createLoginLimit({ now }), now, log }),
    idempotency: createIdempotency({ requests: stores.requests, inUnsyncedTransaction, now, log }),
    oauth,
    ownerLoginLimit: loginLimit,
    owners,
    plans,
    providerSignIn: config.oauth && findKey &&
      createSignIn(config.oauth, findKey, oauthDeps, { accounts, identities, owners, sessions, loginLimit, log }),
    sessions,
    setup: createSetup({ ...accountStores, sessions, passwords, loginLimit, inTransaction, now, log }),
    tokens: config.oauth && findKey && createTokenService(config.oauth, findKey, oauthDeps),
    usage: createUsage({ usage: stores.usage, plans, inLazyTransaction, now })
  }
}
