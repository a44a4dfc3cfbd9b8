/** The OpenAPI document for tests: its operations, resolved references, and checks of replies. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'

export type Schema = Record<string, unknown>
type Media = { schema: Schema, example?: unknown, examples?: Record<string, { value: unknown }> }
type Body = { description?: string, content?: Record<string, Media>, $ref?: string }
export type Parameter = { name: string, in: 'path' | 'query' | 'header', required: boolean, schema: Schema }
export type Operation = {
  operationId: string, summary: string, tags: string[], security: Array<Record<string, string[]>>, deprecated?: boolean
  parameters?: Parameter[], requestBody?: Body, responses: Record<string, Body>
}
export type Document = {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  tags: Array<{ name: string }>
  components: { schemas: Record<string, Schema>, responses: Record<string, Body>, securitySchemes: Record<string, object> }
}

/** The copy in the repository. */
export const DOCUMENT = JSON.parse(readFileSync(new URL('../../src/routes/openapi.json', import.meta.url), 'utf8')) as Document

export type Route = { method: string, path: string, operation: Operation }

export function listRoutes (document: Document = DOCUMENT): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })))
}

/** Resolves `$ref`; returns other values unchanged. */
export function resolveReference<T extends object> (node: T, document: Document = DOCUMENT): T {
  const reference = (node as { $ref?: string }).$ref
  if (reference === undefined) return node
  return reference.slice(2).split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'stenobox', ...DOCUMENT })

/** How `value` violates a schema of the document; undefined when it does not. */
export function findFault (schema: Schema, value: unknown): string | undefined {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"stenobox#/')) as Schema
  const validate = compiled.get(JSON.stringify(absolute)) ?? ajv.compile(absolute)
  compiled.set(JSON.stringify(absolute), validate)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

export type Answer = { status: number, contentType: string | undefined, text: string }

/** How an answer differs from the document; undefined when it does not. */
export function findViolation ({ operation }: Route, { status, contentType, text }: Answer): string | undefined {
  const declared = operation.responses[status]
  if (!declared) return `status ${status} is not in the document`
  const type = contentType?.split(';')[0] ?? ''
  const media = resolveReference(declared).content?.[type]
  if (!media) return `${status} with content type "${type}" is not in the document`
  if (!type.endsWith('json')) return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return `${status}: the body is not JSON`
  }
  const fault = findFault(media.schema, body)
  return fault === undefined ? undefined : `${status}: ${fault}`
}
