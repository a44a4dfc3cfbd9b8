/** The pages an owner sees: login, consent, errors. Plain HTML without external resources. */
import { createHash } from 'node:crypto'
import { SCOPES } from '../domain/access.js'
import type { Scope } from '../domain/access.js'
import { isLoopbackName } from '../domain/oauth.js'

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem}
main{max-width:26rem;margin:0 auto}
h1{font-size:1.4rem}
label{display:block;margin:1rem 0 .25rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid GrayText;border-radius:.25rem}
button{font:inherit;padding:.5rem 1.25rem;margin:1.25rem .5rem 0 0;border:1px solid GrayText;border-radius:.25rem;cursor:pointer}
button.main{background:#14532d;border-color:#14532d;color:#fff}
.warning{border-left:4px solid #b45309;padding-left:.75rem}
strong{overflow-wrap:anywhere}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export type Page = { status: number, body: string, headers: Readonly<Record<string, string>> }

export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Where a form may finally lead. Chromium applies `form-action` to redirects too, and does not support IPv6 addresses there. */
function formTarget (redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}

function createPage (status: number, title: string, content: string, redirectUri?: string): Page {
  const targets = redirectUri === undefined ? '\'none\'' : `'self' ${formTarget(redirectUri)}`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; ` +
        "frame-ancestors 'none'; base-uri 'none'",
      'cache-control': 'no-store'
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Stenobox</title><style>${STYLE}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1>
${content}
</main></body>
</html>
`
  }
}

const alert = (text: string | undefined): string => text === undefined ? '' : `<p class="warning" role="alert">${escapeHtml(text)}</p>`

/** Why the last attempt failed. */
export type LoginFault = { status: number, sentence: string, headers?: Readonly<Record<string, string>> }

export function loginPage ({
  client,
  redirectUri,
  name = '',
  fault
}: {
  client: string
  redirectUri: string
  name?: string
  fault?: LoginFault
}): Page {
  const page = createPage(
    fault?.status ?? 200,
    'Log in',
    `<p><strong>${escapeHtml(client)}</strong> asks for access to your transcripts. Log in to see what it wants.</p>
${alert(fault?.sentence)}
<form method="post">
<label for="name">Name of the owner</label>
<input id="name" name="name" value="${escapeHtml(name)}" autocomplete="username"
 autocapitalize="none" spellcheck="false" maxlength="100" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required>
<button class="main">Log in</button>
<button name="decision" value="deny" formnovalidate>Cancel</button>
</form>`,
    redirectUri
  )
  return { ...page, headers: { ...page.headers, ...fault?.headers } }
}

export type ConsentView = { client: string, isDynamic: boolean, owner: string, redirectUri: string, scopes: Iterable<Scope> }

const SELF_REGISTERED = 'This program registered itself, so its name has not been checked. Allow it only if you just started it yourself.'

/** Describes where the answer goes: a host, or a program on the owner's machine. */
function describeTarget (redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri)
  if (isLoopbackName(hostname)) return 'a program on this computer'
  return host === '' || !/^https?:$/.test(protocol) ? `the program that opens ${protocol}` : host
}

export function consentPage ({ client, isDynamic, owner, redirectUri, scopes }: ConsentView): Page {
  const rights = [...scopes].map((scope) => `<li>${escapeHtml(SCOPES[scope])}</li>`).join('\n')
  return createPage(
    200,
    'Allow access?',
    `<p><strong>${escapeHtml(client)}</strong> wants to use the transcripts of <strong>${escapeHtml(owner)}</strong>.
It will be able to:</p>
<ul>
${rights}
</ul>
<p>The answer goes to <strong>${escapeHtml(describeTarget(redirectUri))}</strong>.</p>
${isDynamic ? `<p class="warning">${SELF_REGISTERED}</p>` : ''}
<form method="post">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
    redirectUri
  )
}

export function errorPage (status: number, sentence: string): Page {
  return createPage(status, 'Something went wrong', `<p role="alert">${escapeHtml(sentence)}</p>
<p>Go back to the program that sent you here and start again.</p>`)
}
