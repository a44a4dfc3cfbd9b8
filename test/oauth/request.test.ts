import t from 'tap'
import { rewriteAuthorization, rewriteForm, rewriteRegistration } from '../../dist/oauth/request.js'

const ISSUER = 'https://steno.example'
const authorization = (query: string): Record<string, string> =>
  Object.fromEntries(new URL(rewriteAuthorization(`/oauth/authorize?${query}`, ISSUER), ISSUER).searchParams)

t.test('an authorization request asks for registered scopes of the one resource, and is otherwise left alone', async (t) => {
  t.strictSame(authorization('scope=made:up+exports:read+openid&nonce=n&max_age=1&state=a%20b'), {
    scope: 'transcripts:export',
    state: 'a b'
  })
  t.strictSame(authorization('scope=made:up'), { scope: '' })
  t.match(authorization('state=x'), {
    scope: 'transcripts:read transcripts:write transcripts:export',
    state: 'x'
  }, 'no scope means all that operations require')
  t.match(authorization('scope=library:search+repurpose:run'), { scope: 'library:search ai:transform' }, 'registered for later')
  t.strictSame(authorization('scope=transcripts:read&redirect_uri=https://app.example/cb?x=1'), {
    scope: 'transcripts:read',
    redirect_uri: 'https://app.example/cb?x=1'
  })
  for (const resource of ['', '/', '/api/v1', '/api/v1/']) t.equal(authorization(`resource=${ISSUER}${resource}`)['resource'], ISSUER)
  const here = 'http://127.0.0.1:8080'
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    t.match(rewriteAuthorization(`/oauth/authorize?resource=http://${host}:8080/api/v1`, here), `resource=${encodeURIComponent(here)}`)
  }
  t.match(rewriteAuthorization('/oauth/authorize?resource=http://localhost:8081', here), 'localhost', 'another port is another program')
  t.equal(authorization('resource=https://elsewhere.example')['resource'], 'https://elsewhere.example')
  t.match(
    rewriteAuthorization('/oauth/authorize?scope=a&scope=transcripts:read', ISSUER),
    'scope=a&scope=transcripts%3Aread',
    'given twice, it is left to be refused'
  )
  t.match(rewriteAuthorization('/oauth/authorize', ISSUER), /^\/oauth\/authorize\?scope=transcripts/)
})

t.test('forms and registrations', async (t) => {
  t.equal(
    rewriteForm(Buffer.from('grant_type=refresh_token&scope=repurpose%3Arun'), ISSUER).toString(),
    'grant_type=refresh_token&scope=ai%3Atransform'
  )
  t.equal(
    rewriteForm(Buffer.from('grant_type=refresh_token'), ISSUER).toString(),
    'grant_type=refresh_token',
    'no scope means all that was granted'
  )
  t.strictSame(
    JSON.parse(
      rewriteRegistration(Buffer.from('{"client_name":"A","scope":"x","__proto__":{"x":1},"jwks_uri":"http://10.0.0.1/"}')).toString()
    ),
    { token_endpoint_auth_method: 'none', client_name: 'A' }
  )
  for (const text of ['', '{', '[]', 'null', '5', '"x"']) t.equal(rewriteRegistration(Buffer.from(text)).toString(), text)
})
