import { createServer } from 'node:http'
import t from 'tap'
import { createIssuer, metadataUrls } from '../../../dist/engine/tokens/issuer.js'
import { makeAllowed } from '../../support/fetcher.ts'
import { listen } from '../../support/listen.ts'

t.test('where metadata is looked for', async (t) => {
  t.strictSame(metadataUrls('https://id.example'), [
    'https://id.example/.well-known/oauth-authorization-server',
    'https://id.example/.well-known/openid-configuration'
  ])
  t.strictSame(metadataUrls('https://id.example/realms/a/'), [
    'https://id.example/.well-known/oauth-authorization-server/realms/a',
    'https://id.example/realms/a/.well-known/openid-configuration'
  ])
})

t.test('a form with a secret goes nowhere but to its address', async (t) => {
  let heard = 0
  const thief = await listen(t, createServer((_request, response) => { heard++; response.end('{}') }))
  const issuer = await listen(t, createServer((_request, response) => { response.writeHead(307, { location: `${thief}/token` }).end() }))
  const { post } = createIssuer({ issuer, fetcher: makeAllowed(t, issuer, thief) })
  t.strictSame(await post(`${issuer}/token`, new URLSearchParams({ code: 'x' }), {}), { status: 307, value: undefined })
  t.equal(heard, 0)
  const inside = createIssuer({ issuer, fetcher: makeAllowed(t, thief) })
  await t.rejects(inside.post(`${issuer}/token`, new URLSearchParams(), {}), { code: 'blocked' }, 'nor into a network that is not allowed')
})

t.test('addresses that are less safe than the issuer are not used', async (t) => {
  const { addressIn } = createIssuer({ issuer: 'https://id.example', fetcher: makeAllowed(t) })
  t.equal(addressIn({ token_endpoint: 'https://id.example/token' }, 'token_endpoint'), 'https://id.example/token')
  t.throws(() => addressIn({ token_endpoint: 'http://id.example/token' }, 'token_endpoint'), /has a token_endpoint without https/)
  t.throws(() => addressIn({}, 'token_endpoint'), /has no token_endpoint/)
})
