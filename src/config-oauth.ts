/** The part of the configuration that is about OAuth: who issues tokens, and whether people sign in at a provider. */
import { isThisMachine } from './domain/model-source.js'
import { resourceNames } from './domain/oauth.js'

/** The variables that are read here, each valid by itself. */
type Values = Readonly<{
  STENOBOX_HOST: string
  STENOBOX_PORT: number
  STENOBOX_PUBLIC_URL: string
  STENOBOX_TLS_CERTIFICATE: string
  STENOBOX_OAUTH_ISSUER: string
  STENOBOX_OAUTH_AUDIENCE: string
  STENOBOX_OAUTH_OWNER_CLAIM: string
  STENOBOX_OAUTH_CREATE_OWNERS: 'false' | 'true'
  STENOBOX_OAUTH_CLIENT_ID: string
  STENOBOX_OAUTH_CLIENT_SECRET: string
  STENOBOX_OAUTH_CREATE_ACCOUNTS: 'false' | 'true'
  STENOBOX_OAUTH_SERVER: 'false' | 'true'
  STENOBOX_OAUTH_REGISTRATION: 'false' | 'true'
}>

/** Sign-in of people at the identity provider: what it knows this appliance by. */
type SignInConfig = Readonly<{
  clientId: string
  clientSecret: string
  /** Where the provider sends people back to. */
  redirectUri: string
  /** Create an account for people who have none. */
  createAccounts: boolean
}>

/** The issuer of accepted tokens: an identity provider, or our own authorization server. */
export type OauthConfig = Readonly<{
  issuer: string
  /** A token must be meant for one of these. */
  audiences: readonly string[]
  /** True when this appliance is the issuer. */
  server: boolean
  /** True when clients may register themselves with our own server. */
  registration: boolean
  /** The claim in a provider's tokens that names the owner. */
  ownerClaim: string
  /** Create unknown owners on first use of a provider's token. */
  createOwners: boolean
  /** Undefined: people do not sign in at the provider. */
  signIn: SignInConfig | undefined
}>

const isOnThisMachine = (host: string): boolean => isThisMachine(host === '::1' ? '[::1]' : host)

/** The one address of our own authorization server. It is in every token, so it cannot depend on how a client connects. */
function ownIssuer (values: Values, faults: string[]): string {
  const { STENOBOX_PUBLIC_URL: publicUrl, STENOBOX_HOST: host, STENOBOX_PORT: port, STENOBOX_TLS_CERTIFICATE: certificate } = values
  const scheme = certificate === '' ? 'http' : 'https'
  const fallback = host === '::1' ? `${scheme}://[::1]:${port}` : `${scheme}://${host}:${port}`
  const fault = (reason: string): void => { faults.push(`STENOBOX_OAUTH_SERVER: ${reason}`) }
  if (publicUrl === '' && (port === 0 || !isOnThisMachine(host))) fault('clients need a fixed address: set STENOBOX_PUBLIC_URL')
  if (publicUrl !== '' && !publicUrl.startsWith('https:') && !isThisMachine(new URL(publicUrl).hostname)) {
    fault('passwords must be encrypted on the network: STENOBOX_PUBLIC_URL must begin with https, or be on this machine')
  }
  return publicUrl || fallback
}

/** An address of the page; src/dashboard/api/agreed.ts has it too. */
const RETURN_PATH = '/sign-in/return'

function readSignIn (values: Values, faults: string[]): SignInConfig | undefined {
  const { STENOBOX_OAUTH_ISSUER: provider, STENOBOX_PUBLIC_URL: publicUrl } = values
  const { STENOBOX_OAUTH_CLIENT_ID: clientId, STENOBOX_OAUTH_CLIENT_SECRET: clientSecret } = values
  const createAccounts = values.STENOBOX_OAUTH_CREATE_ACCOUNTS === 'true'
  const fault = (reason: string): void => { faults.push(`STENOBOX_OAUTH_CLIENT_ID: ${reason}`) }
  if (clientId === '') {
    if (clientSecret !== '') fault('STENOBOX_OAUTH_CLIENT_SECRET is set, so the id of the client is needed too')
    if (createAccounts) fault('STENOBOX_OAUTH_CREATE_ACCOUNTS is set, so people must be able to sign in at the provider')
    return undefined
  }
  if (clientSecret === '') fault('the provider wants to know who asks: set STENOBOX_OAUTH_CLIENT_SECRET')
  if (publicUrl === '') fault('the provider sends people back to a fixed address: set STENOBOX_PUBLIC_URL')
  if (provider === '') fault('people sign in at an identity provider: set STENOBOX_OAUTH_ISSUER')
  else if (!provider.startsWith('https:') && !isThisMachine(new URL(provider).hostname)) {
    fault('nobody on the network may answer for the provider: STENOBOX_OAUTH_ISSUER must begin with https, or be on this machine')
  }
  return Object.freeze({ clientId, clientSecret, redirectUri: publicUrl + RETURN_PATH, createAccounts })
}

/** Undefined: no tokens. Values that contradict each other are added to `faults`. */
export function readOauth (values: Values, faults: string[]): OauthConfig | undefined {
  const server = values.STENOBOX_OAUTH_SERVER === 'true'
  const provider = values.STENOBOX_OAUTH_ISSUER
  if (!server && values.STENOBOX_OAUTH_REGISTRATION === 'true') {
    faults.push('STENOBOX_OAUTH_REGISTRATION: clients can register only when STENOBOX_OAUTH_SERVER is true')
  }
  const signIn = readSignIn(values, faults)
  if (!server && provider === '') return undefined
  if (server && provider !== '') faults.push('STENOBOX_OAUTH_ISSUER and STENOBOX_OAUTH_SERVER: only one issuer is possible; remove one')
  const own = server ? ownIssuer(values, faults) : ''
  if (server && values.STENOBOX_OAUTH_AUDIENCE !== '') {
    faults.push('STENOBOX_OAUTH_AUDIENCE: our own server always issues tokens for its own address; remove this setting')
  }
  const audience = own || values.STENOBOX_OAUTH_AUDIENCE
  const { STENOBOX_PUBLIC_URL: publicUrl } = values
  if (audience === '' && publicUrl === '') {
    faults.push('STENOBOX_OAUTH_AUDIENCE: set it to the audience of the issuer\'s tokens, or set STENOBOX_PUBLIC_URL')
  }
  return Object.freeze({
    issuer: own || provider,
    // Providers put into tokens the resource name that the client asked for, which comes from our metadata.
    audiences: audience === '' && publicUrl !== '' ? resourceNames(publicUrl) : [audience],
    server,
    registration: values.STENOBOX_OAUTH_REGISTRATION === 'true',
    ownerClaim: values.STENOBOX_OAUTH_OWNER_CLAIM,
    createOwners: values.STENOBOX_OAUTH_CREATE_OWNERS === 'true',
    signIn
  })
}
