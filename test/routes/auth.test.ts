/** Tokens at the door: what each kind of operation takes, and what a refused caller is told. */
import fastifyCookie from '@fastify/cookie'
import Fastify from 'fastify'
import t from 'tap'
import type { Test } from 'tap'
import { AppError } from '../../dist/domain/errors.js'
import type { Principal, Scope } from '../../dist/domain/access.js'
import { operation, requireOperations } from '../../dist/routes/contract/operation.js'
import type { Caller } from '../../dist/routes/contract/operation.js'
import { principalOf, requireCredential, requireRights } from '../../dist/routes/plugins/auth.js'
import { readPageSession } from '../../dist/routes/plugins/page-session.js'
import { createErrors } from '../../dist/routes/plugins/errors.js'

const METADATA = 'resource_metadata="https://steno.example/.well-known/oauth-protected-resource"'
const KEY = 'service_sk_x'
const SECRET = 's'.repeat(43)
const SESSION = {
  id: 9, ownerId: 3, plan: 'scale', role: 'owner', createdAt: 0, lastUsedAt: 0, expiresAt: Infinity, idleExpiresAt: Infinity
} as const

/** One operation for each kind of caller, under its name; a token is a list of scopes. */
async function build (t: Test, { publicUrl }: { publicUrl: string | undefined } = { publicUrl: 'https://steno.example' }) {
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  createErrors().install(app)
  requireOperations(app)
  await app.register(fastifyCookie)
  readPageSession(app, {
    publicUrl,
    sessions: { find: (secret) => secret === SECRET ? SESSION : undefined, isOpen: (secret) => secret === SECRET }
  })
  const asked: string[] = []
  const keyOwner: Principal = { ownerId: 1, plan: 'free', keyId: 7 }
  requireCredential(app, {
    publicUrl,
    keys: { authenticate: (key) => key === KEY ? keyOwner : undefined },
    tokens: {
      async authenticate (token) {
        asked.push(token)
        if (token === 'down') {
          throw new AppError('unavailable', 'The identity provider does not answer.', { headers: { 'retry-after': '30' } })
        }
        return token === 'bad' ? undefined : { ownerId: 2, plan: 'pro', scopes: new Set(token.split('+') as Scope[]) }
      }
    }
  })
  requireRights(app, publicUrl)
  const callers: Caller[] = ['transcripts:read', 'transcripts:write', 'api_key', 'session']
  for (const caller of callers) {
    app.get(
      `/${caller.replace(':', '-')}`,
      operation({ operationId: `ask_${caller}`, tag: 'Jobs', summary: '', caller, replies: {} }),
      async (request) => ({ ownerId: principalOf(request).ownerId })
    )
  }
  const ask = async (url: string, authorization?: string, host = 'localhost', cookie?: string) => {
    const headers = { host, ...(authorization === undefined ? {} : { authorization }), ...(cookie === undefined ? {} : { cookie }) }
    const reply = await app.inject({ url, headers })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.json<{ code?: string, ownerId?: number, error?: string }>(),
      challenge: reply.headers['www-authenticate']
    }
  }
  return { ask, asked }
}

t.test('a token does what it was granted, a key everything', async (t) => {
  const { ask } = await build(t)
  t.match(await ask('/transcripts-read', 'Bearer transcripts:read+ai:transform'), { status: 200, body: { ownerId: 2 } })
  for (const url of ['/transcripts-read', '/transcripts-write', '/api_key']) {
    t.match(await ask(url, `Bearer ${KEY}`), { status: 200, body: { ownerId: 1 } })
  }
})

t.test('too little: the answer names the scope that is missing', async (t) => {
  const { ask } = await build(t)
  const reply = await ask('/transcripts-write', 'Bearer transcripts:read')
  t.match(reply, { status: 403, body: { code: 'insufficient_scope' } })
  t.equal(reply.challenge, `Bearer realm="stenobox", ${METADATA}, error="insufficient_scope", scope="transcripts:write"`)
})

t.test('operations that only take keys refuse every token, and say so', async (t) => {
  const { ask } = await build(t)
  t.match(await ask('/api_key', 'Bearer transcripts:read+transcripts:write'), { status: 403, body: { code: 'api_key_required' } })
  t.match(await ask('/api_key', 'Bearer bad'), { status: 401 })
})

t.test('nothing, nonsense and bad tokens', async (t) => {
  const { ask, asked } = await build(t)
  const none = await ask('/transcripts-read')
  t.match(none, { status: 401, body: { code: 'unauthorized' }, challenge: `Bearer realm="stenobox", ${METADATA}` })
  t.notMatch(none.challenge, /error=/)
  const sentences = new Set<string | undefined>()
  for (const header of ['Bearer bad', 'Bearer', 'Bearer a b', 'Basic x', `Bearer ${KEY}y`]) {
    const reply = await ask('/transcripts-read', header)
    t.equal(reply.challenge, `Bearer realm="stenobox", ${METADATA}, error="invalid_token"`, header)
    sentences.add(reply.body.error)
  }
  t.equal(sentences.size, 1)
  t.strictSame(asked, ['bad'], 'what begins like a key is never taken for a token')
})

t.test('a provider that is down is not the caller\'s fault', async (t) => {
  const { ask } = await build(t)
  const reply = await ask('/transcripts-read', 'Bearer down')
  t.match(reply, { status: 503, body: { code: 'unavailable' }, headers: { 'retry-after': '30' } })
  t.equal(reply.challenge, undefined)
})

t.test('without a public address, metadata is where the client came to; no host can end the header', async (t) => {
  const { ask } = await build(t, { publicUrl: undefined })
  t.equal(
    (await ask('/api_key', undefined, 'steno.lan:8080')).challenge,
    'Bearer realm="stenobox", resource_metadata="http://steno.lan:8080/.well-known/oauth-protected-resource"'
  )
  t.notMatch((await ask('/api_key', undefined, 'a", error="x')).challenge, /error="x/)
})

t.test('a session does everything, and alone what only people may do', async (t) => {
  const { ask, asked } = await build(t)
  const cookie = `stenobox_session=${SECRET}`
  for (const url of ['/transcripts-read', '/transcripts-write', '/api_key', '/session']) {
    t.match(await ask(url, undefined, undefined, cookie), { status: 200, body: { ownerId: 3 } }, url)
  }
  for (const authorization of [`Bearer ${KEY}`, 'Bearer transcripts:read']) {
    t.match(await ask('/session', authorization), { status: 403, body: { code: 'session_required' } })
    t.match(await ask('/session', authorization, undefined, cookie), { status: 403 }, 'with a cookie besides')
  }
  t.match(await ask('/transcripts-read', `Bearer ${KEY}`, undefined, cookie), { status: 200, body: { ownerId: 1 } }, 'the key is meant')
  t.match(await ask('/session', 'Bearer bad'), { status: 401 })
  t.match(await ask('/session'), { status: 401, body: { error: /Sign in first/ }, challenge: 'Session realm="stenobox"' })
  for (const url of ['/session', '/transcripts-read']) {
    for (const wrong of ['', 'x', SECRET.slice(1), SECRET.toUpperCase()]) {
      const reply = await ask(url, undefined, undefined, `stenobox_session=${wrong}`)
      t.match(reply, { status: 401, body: { error: /session has ended/ } }, url)
    }
  }
  t.notOk(asked.includes(SECRET))
})
