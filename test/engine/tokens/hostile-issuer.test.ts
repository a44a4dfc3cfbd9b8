/** An identity provider that attacks: API keys do not depend on it, and tokens fail within limits. */
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { parseAllowEntry } from '../../../dist/domain/addresses.js'
import type { AppError } from '../../../dist/domain/errors.js'
import { createFetcher } from '../../../dist/engine/http/fetcher.js'
import { createRemoteKeys } from '../../../dist/engine/tokens/jwks.js'
import { createTokenVerifier } from '../../../dist/engine/tokens/jwt.js'
import type { Claims } from '../../../dist/engine/tokens/jwt.js'
import { createClock } from '../../support/clock.ts'
import { createSigningKey, signToken } from '../../support/issuer.ts'
import { listen } from '../../support/listen.ts'

const MIB = 1024 ** 2
const PACKED = gzipSync(Buffer.alloc(16 * MIB, ' '))
const DRIP = 'drips byte by byte'

function open (t: Test, issuer: string, { totalMs }: { totalMs: number }) {
  const clock = createClock()
  const warnings: object[] = []
  const log = { info: () => {}, error: () => {}, warn: (fields: object) => { warnings.push(fields) } }
  const allowed = parseAllowEntry('127.0.0.1')
  const fetcher = createFetcher({ allow: { sources: [], webhooks: [], oauth: allowed ? [allowed] : [], models: [] }, offline: false })
  t.teardown(async () => { await fetcher.close() })
  const findKey = createRemoteKeys({ issuer, fetcher, now: clock.now, log, totalMs })
  const verify = createTokenVerifier({ issuer, audiences: ['us'], findKey, now: clock.now })
  return {
    warnings,
    async ask (): Promise<Claims | undefined> {
      const exp = Math.floor(clock.now() / 1000) + 60
      return await verify(await signToken(await createSigningKey('one'), { iss: issuer, aud: 'us', sub: 'anna', exp }))
    }
  }
}

/** What the issuer does, and the reason that the log has. */
const ATTACKS: Record<string, [RequestListener, RegExp]> = {
  'redirects in a circle': [({ url }, reply) => { reply.writeHead(302, { location: `${url}1` }).end() }, /redirects too often/],
  'redirects to a private network': [
    (_request, reply) => { reply.writeHead(302, { location: 'http://10.0.0.1/' }).end() }, /not on the public internet/
  ],
  'redirects to a file': [
    (_request, reply) => { reply.writeHead(302, { location: 'file:///etc/passwd' }).end() }, /redirects to something/
  ],
  [DRIP]: [(_request, reply) => {
    reply.writeHead(200)
    const timer = setInterval(() => { reply.write(' ') }, 10)
    reply.once('close', () => { clearInterval(timer) })
  }, /took too long/],
  'announces 100 MB': [
    (_request, reply) => { reply.writeHead(200, { 'content-length': 100 * MIB }).write(' ') }, /more than is accepted/
  ],
  'sends without an end': [(_request, reply) => {
    const sendMore = (): void => { while (!reply.destroyed && reply.write(Buffer.alloc(MIB / 16, ' '))) continue }
    reply.writeHead(200).on('drain', sendMore)
    sendMore()
  }, /more than is accepted/],
  'sends 16 MB, packed': [
    (_request, reply) => { reply.writeHead(200, { 'content-encoding': 'gzip' }).end(PACKED) }, /more than is accepted/
  ]
}

for (const [name, [attack, reason]] of Object.entries(ATTACKS)) {
  t.test(`an issuer that ${name}: tokens cannot be checked, and it is asked once for all callers`, async (t) => {
    let requests = 0
    const server = createServer((request, reply) => {
      requests++
      attack(request, reply)
    })
    const { ask, warnings } = open(t, await listen(t, server), { totalMs: name === DRIP ? 300 : 5000 })
    const all = await Promise.allSettled(Array.from({ length: 10 }, async () => await ask()))
    t.ok(all.every((one) => one.status === 'rejected' && (one.reason as AppError).code === 'unavailable'))
    await t.rejects(ask(), { code: 'unavailable' })
    t.match(warnings, [{ reason }], 'one line in the log')
    t.equal(warnings.length, 1)
    t.ok(requests <= 3, `${requests} requests`)
  })
}
