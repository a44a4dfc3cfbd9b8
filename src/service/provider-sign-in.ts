/** Sign-in at the identity provider, beside name and password. */
import { MAX_NAME_LENGTH, NAME_PATTERN } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { providerName } from '../domain/identity.js'
import type { Identity } from '../domain/identity.js'
import type { Log } from '../domain/log.js'
import { hashSecret } from '../domain/page-session.js'
import type { PageSession } from '../domain/page-session.js'
import type { IdClaims } from '../engine/tokens/jwt.js'
import type { Provider } from '../engine/tokens/provider.js'
import type { Accounts } from './accounts.js'
import type { Identities } from './identities.js'
import type { LoginLimit } from './login-limit.js'
import type { Owners } from './owners.js'
import type { ProviderVisits } from './provider-visits.js'
import type { BegunSession, Sessions } from './sessions.js'

type Deps = {
  issuer: string
  /** The claim that names new accounts. */
  nameClaim: string
  /** Create an account for people who have none. */
  createAccounts: boolean
  provider: Provider
  visits: ProviderVisits
  accounts: Pick<Accounts, 'confirmPerson'>
  identities: Identities
  owners: Pick<Owners, 'find'>
  sessions: Pick<Sessions, 'begin' | 'isOpen'>
  loginLimit: LoginLimit
  log: Pick<Log, 'info' | 'warn'>
}

/** What a browser brings back from the provider. `secret`: of its cookie; `address`: of the client. */
export type Return = { code: string, state: string, secret: string | undefined, address: string }

const NAME = new RegExp(NAME_PATTERN, 'u')

export function createProviderSignIn (deps: Deps) {
  const { issuer, nameClaim, createAccounts, provider, visits, accounts, identities, owners, sessions, loginLimit, log } = deps

  /** Throws `unavailable` when the provider does not answer. */
  async function begin (address: string, ownerId: number | undefined): Promise<{ url: string, secret: string }> {
    const { secret, visit: { state, nonce, verifier } } = visits.begin(address, ownerId)
    const challenge = hashSecret(verifier).toString('base64url')
    return { url: await provider.addressOf({ state, nonce, challenge }), secret }
  }

  /** Who was at the provider. Throws `sign_in_expired`, `sign_in_refused`, `too_many_attempts`, `unavailable`. */
  async function identify ({ code, state, secret, address }: Return, ownerId: number | undefined): Promise<IdClaims> {
    const { verifier, nonce } = visits.end(secret, state, ownerId)
    let claims: IdClaims | undefined
    await loginLimit.attempt(address, 'identity provider', async () => {
      claims = await provider.identify({ code, verifier, nonce })
      return claims !== undefined
    })
    if (claims) return claims
    log.warn({ address }, 'the identity provider did not confirm a sign-in')
    throw new AppError('sign_in_refused', 'The identity provider did not confirm who you are. Begin again.')
  }

  function createAccount (identity: Identity, claims: IdClaims): number | undefined {
    const name = claims[nameClaim]
    if (!createAccounts || typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !NAME.test(name)) return undefined
    const ownerId = identities.create(identity, name)
    if (ownerId !== undefined) log.info({ ownerId }, 'an account was created for a person of the identity provider')
    return ownerId
  }

  return {
    /** What people see of the provider. */
    name: providerName(issuer),
    /** Where a browser goes to sign in, and the secret for its cookie. Throws `unavailable`. */
    begin: async (address: string): Promise<{ url: string, secret: string }> => await begin(address, undefined),
    /**
     * The same to connect the account that is signed in. Needs its password: the person who connects an account can sign in to it from
     * then on. Also throws `wrong_password`, `too_many_attempts`, `sign_in_too_old`.
     */
    async beginConnecting (
      session: PageSession, password: string | undefined, address: string
    ): Promise<{ url: string, secret: string }> {
      await accounts.confirmPerson(session, password, address)
      return await begin(address, session.ownerId)
    },
    /**
     * Begins a session of the account of the person. `replaced`: the secret of the session that the browser had before. Throws
     * `no_account`, `sign_in_expired`, `sign_in_refused`, `too_many_attempts`, `unavailable`.
     */
    async signIn (returned: Return, replaced: string | undefined): Promise<BegunSession> {
      const claims = await identify(returned, undefined)
      const identity = { issuer, subject: claims.sub }
      const ownerId = identities.ownerOf(identity) ?? createAccount(identity, claims)
      if (ownerId !== undefined) return sessions.begin(ownerId, replaced)
      // With the subject, the administrator can connect an account.
      log.warn({ address: returned.address, subject: claims.sub }, 'a person of the identity provider has no account')
      throw new AppError(
        'no_account',
        'The identity provider knows you, but you have no account here. If you have one with a password, sign in with it and connect it ' +
          'in the settings. Otherwise ask an administrator.'
      )
    },
    /**
     * Connects the account that is signed in. `sessionSecret`: of its session. Throws `conflict` when the person has another account,
     * `unauthorized` when the session has ended meanwhile, and as `signIn`.
     */
    async connect ({ ownerId }: PageSession, sessionSecret: string, returned: Return): Promise<void> {
      const { sub } = await identify(returned, ownerId)
      // The administrator may have locked the account out while the provider was asked.
      if (!sessions.isOpen(sessionSecret)) throw new AppError('unauthorized', 'Your session has ended. Sign in again.')
      identities.connect(ownerId, { issuer, subject: sub })
      log.info({ ownerId }, 'an account was connected with the identity provider')
    },
    /** Disconnects the account and ends its other sessions. Throws `conflict` when nobody could sign in to it any more. */
    disconnect ({ id, ownerId }: PageSession): void {
      if (!owners.find(ownerId).hasPassword) {
        throw new AppError('conflict', 'You could not sign in any more: this account has no password. Ask an administrator to set one.')
      }
      identities.disconnect(ownerId, id)
      log.info({ ownerId }, 'an account was disconnected from the identity provider')
    }
  }
}
export type ProviderSignIn = ReturnType<typeof createProviderSignIn>
