import t from 'tap'
import { fingerprint, isFinal, requestId, seal, unseal } from '../../dist/domain/idempotency.js'
import type { IdempotentRequest } from '../../dist/domain/idempotency.js'

const REQUEST: IdempotentRequest = { scope: 'owner 1', operationId: 'retryJob', key: 'a-key', content: { a: 1 } }
const hex = (bytes: Buffer): string => bytes.toString('hex')

t.test('a request is known by who asks, for what, under which key; never by the key alone', async (t) => {
  const changes: Array<Partial<IdempotentRequest>> = [
    {},
    { scope: 'owner 2' },
    { operationId: 'other' },
    { key: 'b-key' },
    { scope: 'owner 1","x', operationId: 'y' }
  ]
  t.equal(new Set(changes.map((change) => hex(requestId({ ...REQUEST, ...change })))).size, changes.length)
  t.equal(hex(requestId({ ...REQUEST, content: 2 })), hex(requestId(REQUEST)))
})

t.test('what means the same has one fingerprint, what does not has another', async (t) => {
  const of = (content: unknown, key = 'a-key'): string => hex(fingerprint({ ...REQUEST, key, content }))
  t.equal(of({ a: 1, b: { c: [1, { d: 2, e: 3 }] } }), of({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }))
  t.equal(of({ body: undefined }), of({}))
  for (const other of [{ a: '1' }, { a: 2 }, { a: null }, {}, [1], { a: 1, b: 0 }, null]) {
    t.not(of(other), of({ a: 1 }), JSON.stringify(other))
  }
  t.not(of([1, 2]), of([2, 1]), 'lists have an order')
  t.not(of({ a: 1 }, 'b-key'), of({ a: 1 }), 'and nobody without the key can tell what was asked')
})

t.test('a sealed answer is read by its key alone, and never looks the same twice', async (t) => {
  const answer = Buffer.from('{"signingSecret":"größe"}')
  const sealed = seal('a-key', answer)
  t.strictSame(unseal('a-key', sealed), answer)
  t.notOk(sealed.includes('signingSecret'))
  t.notOk(seal('a-key', answer).equals(sealed))
  t.throws(() => unseal('b-key', sealed))
  for (let place = 0; place < sealed.length; place += 7) {
    const changed = Buffer.from(sealed)
    changed[place] = (changed[place] ?? 0) ^ 1
    t.throws(() => unseal('a-key', changed), `byte ${place}`)
  }
})

t.test('only what was carried out is final', async (t) => {
  t.strictSame([200, 201, 202, 204].map(isFinal), Array(4).fill(true))
  t.strictSame([400, 403, 404, 409, 410, 413, 422, 429, 500, 502, 503, 507].map(isFinal), Array(12).fill(false))
})
