/** The pages an owner sees: login, consent, errors. Plain HTML without external resources. */
import { createHash } from 'node:crypto'
import { SCOPES } from '../domain/access.js'
import type { Scope } from '../domain/access.js'
import { isLoopbackName } from '../domain/oauth.js'

/** Colours, sizes and spaces are those of src/dashboard/styles/tokens.css: people should see that it is the same appliance. */
const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#fbfbfd,#131417);--surface:light-dark(#fff,#1b1d21);--hover:light-dark(#eef0f5,#2a2d33);
--sunken:light-dark(#f1f2f6,#0e0f12);--line:light-dark(#e2e4ec,#2e3138);--line-control:light-dark(#868b9c,#747a8b);
--text:light-dark(#1a1c23,#eceef3);--text-quiet:light-dark(#5b6070,#a3a9b8);--accent:light-dark(#3451c6,#3f5bd0);
--focus:light-dark(#3451c6,#b5c4ff);--good:light-dark(#17703c,#6fd394);
--warn:light-dark(#8a5300,#f0b860);--warn-soft:light-dark(#fff1d6,#3c2c0f)}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--ground);color:var(--text);
font:0.9375rem/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:min(440px,100%);display:flex;flex-direction:column;gap:16px;padding:32px;background:var(--surface);border:1px solid var(--line);
border-radius:12px}
header{display:flex;align-items:center;gap:8px;font-weight:650}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-0.01em;margin:0}
p,ul{margin:0}
form{display:flex;flex-direction:column;gap:16px}
label{display:flex;flex-direction:column;gap:4px;font-weight:550;font-size:0.8125rem}
input,button{font:inherit;color:inherit;min-height:40px;border:1px solid var(--line-control);border-radius:8px}
input{width:100%;padding:6px 12px;background:var(--surface);font-size:0.9375rem;font-weight:400}
button{padding:0 16px;background:var(--surface);font-weight:550;cursor:pointer}
button:hover{background:var(--hover)}
button.main{background:var(--accent);border-color:var(--accent);color:#fff}
button.main:hover{background:color-mix(in oklab,var(--accent),black 12%)}
.buttons{display:flex;flex-wrap:wrap;gap:8px}
.buttons button{flex:1 1 120px}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
ul{list-style:none;padding:12px 16px;display:flex;flex-direction:column;gap:8px;background:var(--sunken);border-radius:8px}
li{display:flex;gap:8px}
li::before{content:"\\2713";color:var(--good);font-weight:700}
.quiet{color:var(--text-quiet)}
.warning{padding:8px 12px;border-radius:8px;background:var(--warn-soft);color:var(--warn)}
strong{overflow-wrap:anywhere;font-weight:600;color:var(--text)}
@media (max-width:480px){main{padding:24px 16px}}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** As in src/dashboard/public/icon.svg, in the page itself: the policy allows no requests. */
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">' +
  '<rect width="32" height="32" rx="8" fill="#3b5bdb"/>' +
  '<path d="M7.5 14.5v3M12.5 9.5v13M17.5 12.5v7M22.5 7.5v17" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'
/** Without one, browsers ask for /favicon.ico. */
const ICON = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO)}">`

export type Page = { status: number, body: string, headers: Readonly<Record<string, string>> }

function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Where a form may lead, redirects included: Chromium applies `form-action` to them too, and does not support IPv6 addresses there. */
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
        `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action ${targets}; ` +
        "frame-ancestors 'none'; base-uri 'none'",
      'cache-control': 'no-store'
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Stenobox</title>${ICON}<style>${STYLE}</style>
</head>
<body><main>
<header>${LOGO}Stenobox</header>
<h1>${escapeHtml(title)}</h1>
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
    `<p><strong dir="auto">${escapeHtml(client)}</strong> asks for access to your transcripts. Log in to see what it wants.</p>
${alert(fault?.sentence)}
<form method="post">
<label>Name of the owner
<input id="name" name="name" value="${escapeHtml(name)}" autocomplete="username" dir="auto"
 autocapitalize="none" spellcheck="false" maxlength="100" required autofocus></label>
<label>Password
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required></label>
<div class="buttons"><button class="main">Log in</button>
<button name="decision" value="deny" formnovalidate>Cancel</button></div>
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
    `<p><strong dir="auto">${escapeHtml(client)}</strong> wants to use the transcripts of <strong dir="auto">${escapeHtml(owner)}</strong>.
It will be able to:</p>
<ul>
${rights}
</ul>
<p class="quiet">The answer goes to <strong>${escapeHtml(describeTarget(redirectUri))}</strong>.</p>
${isDynamic ? `<p class="warning">${SELF_REGISTERED}</p>` : ''}
<form method="post">
<div class="buttons"><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></div>
</form>`,
    redirectUri
  )
}

export function errorPage (status: number, sentence: string): Page {
  return createPage(status, 'Something went wrong', `<p role="alert">${escapeHtml(sentence)}</p>
<p class="quiet">Go back to the program that sent you here and start again.</p>`)
}
