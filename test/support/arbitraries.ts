/** Requests generated from the document: mostly valid, often broken in one place. */
import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { resolveReference } from './document.ts'
import type { Operation, Route, Schema } from './document.ts'
import { JOB_STATES } from './things.ts'
import type { Things } from './things.ts'

export type FuzzRequest = { url: string, method: string, headers: Record<string, string>, body?: string }

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'Ünïcödé 会議',
    'a\r\nx-injected: 1',
    '../../etc/passwd',
    '"; DROP TABLE job',
    '\u0000',
    '\ud800',
    'https://example.com/a.mp3',
    '2026-11-21T09:00:00Z'
  )
)

/** Values of a schema. */
function valueOf (schema: Schema): Arbitrary<unknown> {
  const resolved = resolveReference(schema)
  const {
    type,
    enum: values,
    const: only,
    anyOf,
    pattern,
    examples,
    format
  } = resolved as {
    type?: string
    enum?: unknown[]
    const?: unknown
    anyOf?: Schema[]
    pattern?: string
    examples?: unknown[]
    format?: string
  }
  if (values) return fc.constantFrom(...values)
  if (only !== undefined) return fc.constant(only)
  if (anyOf) return fc.oneof(...anyOf.map(valueOf))
  if (examples) return fc.oneof(fc.constantFrom(...examples), valueOf({ ...resolved, examples: undefined }))
  if (type === 'object') return objectOf(resolved)
  if (type === 'array') return fc.array(valueOf((resolved['items'] ?? {}) as Schema), { maxLength: 5 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer') {
    return fc.oneof(
      fc.integer({
        min: Number(resolved['minimum'] ?? -10),
        max: Math.min(Number(resolved['maximum'] ?? 1000), Number.MAX_SAFE_INTEGER)
      }),
      fc.integer({ min: 1, max: 20 })
    )
  }
  if (type === 'number') {
    return fc.double({ min: Number(resolved['minimum'] ?? -1e9), max: Number(resolved['maximum'] ?? 1e9), noNaN: true })
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  if (format === 'uri') {
    return fc.oneof(
      fc.webUrl(),
      fc.constantFrom('http://127.0.0.1:1/x', 'https://[::1]/', 'file:///etc/passwd', 'http://user:pass@example.invalid/')
    )
  }
  const maxLength = Math.min(Number(resolved['maxLength'] ?? 60), 3000)
  return texts.map((text) => text.slice(0, maxLength).padEnd(Number(resolved['minLength'] ?? 0), 'x'))
}

function objectOf (schema: Schema): Arbitrary<unknown> {
  const properties = Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, property]) => [name, valueOf(property)])
  )
  return fc.record(properties, { requiredKeys: (schema['required'] ?? []) as string[] })
}

const WRONG: unknown[] = [
  null,
  true,
  '',
  'NaN',
  '1e999',
  -1,
  -0,
  0.5,
  2 ** 53,
  1e308,
  [],
  {},
  [[]],
  { $ref: 'x' },
  'x'.repeat(5000),
  '\u202etxt.exe',
  Array(300).fill(0)
]

/** Breaks one thing in an object: a missing field, a wrong type, or an extra field. */
const spoilt = (value: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc
    .tuple(value, fc.nat(), fc.constantFrom(...WRONG), fc.constantFrom('drop', 'replace', 'add', 'whole'))
    .map(([object, index, wrong, how]) => {
      if (object === null || typeof object !== 'object' || how === 'whole') return wrong
      const keys = Object.keys(object)
      const key = keys[index % Math.max(1, keys.length)] ?? 'x'
      if (how === 'drop') return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
      return { ...object, [how === 'add' ? 'surprise' : key]: wrong }
    })

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8']
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'nonsense',
  '',
  'application/json; charset=latin1'
]

function bodyOf ({ requestBody }: Operation): Arbitrary<{ body?: string, type?: string }> {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {})
  if (type === undefined || !media) {
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      fc.record({ body: fc.constantFrom('', '{}', '[1]', '{bad'), type: fc.constantFrom(...JSON_TYPES, ...OTHER_TYPES) })
    )
  }
  if (!type.endsWith('json')) {
    return fc.record({ body: fc.oneof(fc.constant('0123456789'), texts), type: fc.constantFrom(type, ...OTHER_TYPES, ...JSON_TYPES) })
  }
  const json = fc
    .oneof({ weight: 4, arbitrary: valueOf(media.schema) }, { weight: 4, arbitrary: spoilt(valueOf(media.schema)) })
    .map((value) => JSON.stringify(value))
  const text = fc.oneof(
    { weight: 8, arbitrary: json },
    fc.constantFrom(
      '',
      '{',
      'null',
      '"text"',
      '[]',
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      '['.repeat(2000),
      `{"fileName":"${'x'.repeat(1_100_000)}"}`
    )
  )
  return fc.record({
    body: text,
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...JSON_TYPES) }, fc.constantFrom(...OTHER_TYPES))
  })
}

const ODD_IDS = [
  '0',
  '-1',
  '1.5',
  '9007199254740992',
  '9007199254740991',
  'NaN',
  'x',
  '1e3',
  '%00',
  '%2e%2e',
  '99999',
  'a'.repeat(120),
  '%F0%9F%92%A9',
  "1'--",
  '1;2'
]

function pathOf (path: string, things: Things): Arbitrary<string> {
  const known = fc.constantFrom(...JOB_STATES, 'unknown' as const).map((kind) => () => things.fill(path, kind))
  const odd = fc.constantFrom(...ODD_IDS).map((id) => () => path.replace(/\{\w+\}/g, id))
  return fc.oneof({ weight: 3, arbitrary: known }, odd).map((make) => make())
}

function queryOf ({ parameters = [] }: Operation): Arbitrary<string> {
  const wanted = parameters.filter((parameter) => parameter.in === 'query')
  const one = (name: string, schema: Schema) =>
    fc
      .oneof(
        { weight: 3, arbitrary: valueOf(schema).map(String) },
        fc.constantFrom('', '-1', 'NaN', '1e999', '[]', 'x'.repeat(3000), '\u0000')
      )
      .map((value) => `${name}=${encodeURIComponent(Buffer.from(value).toString())}`)
  const all = fc.tuple(
    ...wanted.map(({ name, required, schema }) => fc.oneof({ weight: required ? 9 : 2, arbitrary: one(name, schema) }, fc.constant('')))
  )
  return fc.tuple(all, fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom('surprise=1', 'a[b]=c', '%', 'limit=1&limit=2')))
    .map(([pairs, extra]) => [...pairs, extra].filter((pair) => pair !== '').join('&')).map((query) => query === '' ? '' : `?${query}`)
}

/** Requests to one operation. `credentials`: mostly the first one. `cookie`: of a session, mostly sent. */
export function requestTo (
  { method, path, operation }: Route,
  things: Things,
  credentials: string[],
  cookie?: string
): Arbitrary<FuzzRequest> {
  const [mine = '', ...others] = credentials
  const accept = fc.oneof(
    { weight: 8, arbitrary: fc.constant('*/*') },
    fc.constantFrom('application/problem+json', 'application/json', 'text/html', 'application/problem+json;q=x', 'nonsense', '')
  )
  const authorization = fc.oneof(
    { weight: 12, arbitrary: fc.constant(mine) },
    fc.constantFrom(
      ...others,
      '',
      'Basic eDp5',
      'Bearer',
      'Bearer  ',
      'Bearer a.b.c',
      'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.',
      'Bearer ' + 'x'.repeat(5000)
    )
  )
  const wantsKey = (operation.parameters ?? []).some(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key'
  )
  const idempotencyKey = wantsKey
    ? fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom('again', 'k'.repeat(255), 'k'.repeat(256), 'sp ace'))
    : fc.constant(undefined)
  const cookies =
    cookie === undefined
      ? fc.constant(undefined)
      : fc.oneof(
        { weight: 12, arbitrary: fc.constant(cookie) },
        fc.constantFrom(undefined, 'stenobox_session=', `${cookie}x`, 'nonsense')
      )
  return fc
    .tuple(pathOf(path, things), queryOf(operation), bodyOf(operation), accept, authorization, idempotencyKey, cookies)
    .map(([filled, query, { body, type }, accepted, credential, key, sent]) => ({
      method,
      url: filled + query,
      headers: {
        accept: accepted,
        ...(credential === '' ? {} : { authorization: credential }),
        ...(type === undefined || type === '' ? {} : { 'content-type': type }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(sent === undefined ? {} : { cookie: sent })
      },
      ...(body === undefined ? {} : { body })
    }))
}
