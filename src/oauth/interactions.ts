/** Login and consent: the owner's part between a client's request and its answer. */
import { errors } from 'oidc-provider'
import type { InteractionResults, Provider } from 'oidc-provider'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { registeredScopes } from '../domain/access.js'
import type { Scope } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import type { Audit } from '../service/audit.js'
import { ownerNamed } from '../service/login-limit.js'
import type { LoginLimit } from '../service/login-limit.js'
import type { Oauth } from '../service/oauth.js'
import type { Owners } from '../service/owners.js'
import { consentPage, errorPage, loginPage } from './pages.js'
import type { Page } from './pages.js'

type Deps = {
  provider: Provider
  issuer: string
  oauth: Pick<Oauth, 'findClient'>
  owners: Pick<Owners, 'findById' | 'verifyPassword'>
  loginLimit: LoginLimit
  audit: Pick<Audit, 'record'>
  log: Pick<Log, 'info' | 'warn'>
}
type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

const DENIED = { error: 'access_denied', error_description: 'the owner denied access' }
const WRONG = {
  status: 401,
  sentence: 'The name or the password is wrong, or this owner has no password. The administrator sets passwords.'
}

function sendPage (response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, headers).end(body)
}

/**
 * True when the form was on our page, according to the browser's headers. A second defence: the interaction cookie is not sent from other
 * sites anyway.
 */
function isFromOurPage ({ headers }: IncomingMessage, issuer: string): boolean {
  const { origin = 'null', 'sec-fetch-site': site = 'same-origin' } = headers
  return site === 'same-origin' && [new URL(issuer).origin, 'null'].includes(origin)
}

export function createInteractions ({ provider, issuer, oauth, owners, loginLimit, audit, log }: Deps) {
  const paramOf = ({ params }: Interaction, name: string): string => String(params[name] ?? '')
  const scopesOf = (interaction: Interaction): Set<Scope> => registeredScopes(paramOf(interaction, 'scope').split(' '))

  function viewOf (interaction: Interaction): { client: string, isDynamic: boolean, redirectUri: string } {
    const id = paramOf(interaction, 'client_id')
    const { name, isDynamic } = oauth.findClient(id) ?? { name: id, isDynamic: true }
    return { client: name, isDynamic, redirectUri: paramOf(interaction, 'redirect_uri') }
  }

  async function logIn (interaction: Interaction, form: URLSearchParams, address: string): Promise<InteractionResults | Page> {
    const name = form.get('name') ?? ''
    let ownerId: number | undefined
    try {
      await loginLimit.attempt(address, ownerNamed(name), async () => {
        ownerId = await owners.verifyPassword(name, form.get('password') ?? '')
        return ownerId !== undefined
      })
    } catch (error) {
      // Too many wrong passwords or too many logins at once: the page says when to try again.
      if (!(error instanceof AppError)) throw error
      const status = error.code === 'too_many_attempts' ? 429 : 503
      return loginPage({ ...viewOf(interaction), name, fault: { status, sentence: error.message, headers: error.headers } })
    }
    if (ownerId === undefined) {
      log.warn({ address }, 'wrong name or password of an owner')
      audit.record({ actor: { type: 'nobody' }, operation: 'logInAsOwner', address, status: 401 })
      return loginPage({ ...viewOf(interaction), name, fault: WRONG })
    }
    audit.record({ actor: { type: 'owner', ownerId }, operation: 'logInAsOwner', address, status: 200 })
    return { login: { accountId: String(ownerId), remember: false } }
  }

  async function allow (interaction: Interaction, address: string): Promise<InteractionResults> {
    const { accountId = '' } = interaction.session ?? {}
    const clientId = paramOf(interaction, 'client_id')
    const scopes = [...scopesOf(interaction)]
    const grant = new provider.Grant({ accountId, clientId })
    grant.addResourceScope(issuer, scopes.join(' '))
    const grantId = await grant.save()
    log.info({ ownerId: Number(accountId), clientId, scopes }, 'an owner granted access')
    const actor = { type: 'owner', ownerId: Number(accountId) } as const
    audit.record({ actor, operation: 'grantAccess', target: { clientId }, address, status: 200 })
    return { consent: { grantId } }
  }

  function show (interaction: Interaction): Page {
    if (interaction.prompt.name === 'login') return loginPage(viewOf(interaction))
    const owner = owners.findById(Number(interaction.session?.accountId))
    return owner
      ? consentPage({ ...viewOf(interaction), owner: owner.name, scopes: scopesOf(interaction) })
      : errorPage(400, 'This owner no longer exists.')
  }

  async function decide (interaction: Interaction, form: URLSearchParams, address: string): Promise<InteractionResults | Page> {
    if (form.get('decision') === 'deny') return DENIED
    if (interaction.prompt.name === 'login') return await logIn(interaction, form, address)
    return form.get('decision') === 'allow' ? await allow(interaction, address) : show(interaction)
  }

  return {
    /** Answers the address of an interaction. `body`: the submitted form, if any. `address`: of the client. */
    async answer (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined, address: string): Promise<void> {
      try {
        const interaction = await provider.interactionDetails(request, response)
        if (body === undefined) return sendPage(response, show(interaction))
        if (!isFromOurPage(request, issuer)) {
          return sendPage(response, errorPage(403, 'This form was not sent from a page of this appliance.'))
        }
        const outcome = await decide(interaction, new URLSearchParams(body.toString('utf8')), address)
        if ('body' in outcome) return sendPage(response, outcome as Page)
        await provider.interactionFinished(request, response, outcome, { mergeWithLastSubmission: true })
      } catch (error) {
        if (!(error instanceof errors.SessionNotFound)) throw error
        sendPage(response, errorPage(400, 'This page has expired or was opened in another browser.'))
      }
    }
  }
}
