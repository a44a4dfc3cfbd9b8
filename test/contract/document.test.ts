/** The OpenAPI document: true, whole, and shown without the internet. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import Fastify from 'fastify'
import type {} from '@fastify/swagger'
import t from 'tap'
import Type from 'typebox'
import { parse } from 'yaml'
import { OFFERED_SCOPES } from '../../dist/domain/access.js'
import { operation, requireOperations } from '../../dist/routes/contract/operation.js'
import { collectOperations } from '../../dist/routes/plugins/openapi.js'
import { buildAppliance } from '../support/appliance.ts'
import { DOCUMENT, findFault, listRoutes, resolveReference } from '../support/document.ts'
import type { Document } from '../support/document.ts'

t.test('the document in the repository is the one that is served, as JSON and as YAML', async (t) => {
  const { http } = await buildAppliance(t)
  const json = await http.inject({ url: '/api/v1/openapi.json' })
  t.match(json.headers['content-type'], /^application\/json/)
  t.same(json.json(), DOCUMENT, 'if not: node scripts/write-openapi.ts')
  const yaml = await http.inject({ url: '/api/v1/openapi.yaml' })
  t.match(yaml.headers['content-type'], /^application\/yaml/)
  t.same(parse(yaml.body), DOCUMENT)
  t.match(DOCUMENT, { openapi: '3.1.0', info: { version: '1.0.0' } })
})

t.test('the scopes that are offered are those that operations require, in the metadata too', async (t) => {
  const required = listRoutes().flatMap(({ operation: { security } }) => security.flatMap(({ oauth = [] }) => oauth))
  t.strictSame([...new Set(required)].sort(), [...OFFERED_SCOPES].sort())
  const { http } = await buildAppliance(t)
  const metadata = await http.inject({ url: '/.well-known/oauth-protected-resource' })
  t.match(metadata.json(), { scopes_supported: [...OFFERED_SCOPES] })
  t.equal(metadata.json<{ scopes_supported: string[] }>().scopes_supported.length, OFFERED_SCOPES.length)
})

t.test('redocly finds nothing, neither in JSON nor in YAML', async (t) => {
  const { http } = await buildAppliance(t)
  const directory = t.testdir()
  for (const file of ['openapi.json', 'openapi.yaml']) {
    writeFileSync(`${directory}/${file}`, (await http.inject({ url: `/api/v1/${file}` })).body)
    const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const output = execFileSync('node_modules/.bin/redocly', ['lint', `${directory}/${file}`, '--format=json'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8'
    })
    t.match(JSON.parse(output), { totals: { errors: 0, warnings: 0, ignored: 0 } })
  }
})

t.test('every operation has its section, its right, its replies, and an example of every body that fits its schema', async (t) => {
  const tags = DOCUMENT.tags.map(({ name }) => name)
  for (const { method, path, operation: { operationId, tags: [tag = ''], security, summary, requestBody, responses } } of listRoutes()) {
    t.ok(tags.includes(tag) && summary && security, operationId)
    t.ok(Object.keys(responses).some((status) => status.startsWith('2')), `${operationId}: a success`)
    if (security.length > 0) t.ok(responses['401'] && responses['403'], `${operationId}: 401 and 403`)
    if (/\{/.test(path)) t.ok(responses['404'] && responses['400'], `${method} ${path}: 400 and 404`)
    const bodies = Object.values(responses).map((response) => resolveReference(response)).concat(requestBody ?? [])
    for (const { content = {} } of bodies) {
      for (const [type, { schema, example, examples }] of Object.entries(content)) {
        if (!type.endsWith('json')) continue
        const values = example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example]
        if (values.length === 0) t.fail(`${operationId}: a body of ${type} has no example`)
        for (const value of values) {
          const fault = findFault(schema, value)
          if (fault) t.fail(`${operationId}: an example does not fit: ${fault}`)
        }
      }
    }
  }
  const ids = listRoutes().map(({ operation }) => operation.operationId)
  t.same([...new Set(ids)], ids, 'no operationId twice')
})

t.test('the page needs nothing from outside', async (t) => {
  const { http } = await buildAppliance(t)
  const page = await http.inject({ url: '/docs/' })
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], /default-src 'self'/)
  t.notMatch(page.headers['content-security-policy'], /https:|upgrade-insecure-requests/, 'also on a plain address of the local network')
  const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset = '']) => asset)
  t.ok(assets.length > 3)
  for (const asset of assets) {
    t.notMatch(asset, /^(https?:)?\/\//)
    const reply = await http.inject({ url: new URL(asset, 'http://x/docs/').pathname })
    t.equal(reply.statusCode, 200, asset)
  }
})

t.test('what the server of the assets refuses is a fault of the request', async (t) => {
  const { call } = await buildAppliance(t)
  const css = '/docs/static/swagger-ui.css'
  for (const headers of [{ range: 'bytes=99999999-' }, { 'if-match': '"x"' }, { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }]) {
    t.match(await call(undefined, 'GET', css, undefined, headers), { status: 400, body: { code: 'invalid_request' } })
  }
  t.match(await call(undefined, 'GET', '/docs/static/missing.css'), { status: 404, body: { code: 'not_found' } })
})

t.test('a route without a declaration does not start', async (t) => {
  const app = Fastify()
  requireOperations(app)
  t.throws(() => app.get('/forgotten', async () => 'x'), /GET \/forgotten is not declared/)
})

t.test('a deprecated operation says so in the document and in every reply', async (t) => {
  const app = Fastify()
  await collectOperations(app, undefined)
  requireOperations(app)
  app.get('/old', operation({
    operationId: 'old',
    tag: 'Health',
    summary: 'Of yesterday',
    caller: 'public',
    querystring: Type.Object({ n: Type.Integer() }),
    replies: { 200: Type.Object({}, { description: 'Nothing.', examples: [{}] }) },
    deprecated: { since: '2026-11-01', sunset: '2027-06-01' }
  }), async () => ({}))
  for (const [url, status] of [['/old?n=1', 200], ['/old?n=x', 400]] as const) {
    const reply = await app.inject({ url })
    t.match(
      [reply.statusCode, reply.headers['deprecation'], reply.headers['sunset']],
      [status, '@1793491200', 'Tue, 01 Jun 2027 00:00:00 GMT']
    )
  }
  t.equal((app.swagger() as unknown as Document).paths['/old']?.['get']?.deprecated, true)
  t.notOk(listRoutes().some(({ operation }) => operation.deprecated), 'nothing that is served is deprecated')
})

t.test('problem details for those who ask for them', async (t) => {
  const { call, key } = await buildAppliance(t)
  const ask = async (accept: string) => await call(key(), 'GET', '/api/v1/jobs/7', undefined, { accept })
  for (const accept of [
    'application/problem+json',
    'application/json, application/problem+json',
    'text/html, Application/Problem+JSON;q=0.9, application/json;q=0.5'
  ]) {
    const reply = await ask(accept)
    t.match(reply.headers['content-type'], /^application\/problem\+json/)
    t.match(reply.body, {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: /no such/,
      success: false,
      error: /no such/,
      code: 'not_found',
      requestId: /-/
    })
  }
  for (const accept of [
    'application/json',
    '*/*',
    'application/json, application/problem+json;q=0.1',
    'application/problem+json;q=0',
    ''
  ]) {
    const reply = await ask(accept)
    t.match(reply.headers['content-type'], /^application\/json/, accept)
    t.notOk('detail' in reply.body)
  }
})

t.test('the copy in the repository ends with a line end and has no path or address of a machine', async (t) => {
  const text = readFileSync(new URL('../../src/routes/openapi.json', import.meta.url), 'utf8')
  t.ok(text.endsWith('}\n'))
  t.notMatch(text, /\/(home|root|work|tmp)\//)
})
