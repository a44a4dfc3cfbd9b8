/** The client of our own HTTP interface, typed by the OpenAPI document. The session's cookie goes with every request. */
import createClient from 'openapi-fetch'
import { BASE } from './base.ts'
import type { paths } from './schema.ts'

export const api = createClient<paths>({ baseUrl: BASE, credentials: 'same-origin' })

const signedOut = new Set<() => void>()

/** Calls `listener` when the appliance says that the session of this browser has ended. Returns a function that ends that. */
export function onSignedOut (listener: () => void): () => void {
  signedOut.add(listener)
  return () => { signedOut.delete(listener) }
}

api.use({
  onResponse ({ response, schemaPath }) {
    // The session's own operations answer so when a password is wrong or nobody has signed in yet.
    if (response.status === 401 && !['/api/v1/session', '/api/v1/setup'].includes(schemaPath)) for (const tell of signedOut) tell()
  }
})

let translate = async (sentence: string): Promise<string> => sentence

/** From now on refusals are told with the sentences that `say` makes of the appliance's own. */
export function sayWith (say: (sentence: string) => Promise<string>): void {
  translate = say
}

/** A refusal of the appliance. `message` is its sentence for people, in the language of the page. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The whole reply, for errors that carry more, such as the current text of a segment. */
  readonly body: unknown

  constructor (status: number, code: string, message: string, body: unknown) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.body = body
  }
}

type Reply<D> = { data?: D, error?: unknown, response: Response }
const textOf = (body: unknown, field: string): string | undefined => {
  if (typeof body !== 'object' || body === null || !(field in body)) return undefined
  const value = (body as Record<string, unknown>)[field]
  return typeof value === 'string' ? value : undefined
}

/** The refusal that a reply is, told in the language of the page. `body`: the reply as JSON; undefined where it is none. */
export async function toRefusal ({ status, statusText }: { status: number, statusText: string }, body: unknown): Promise<ApiError> {
  return new ApiError(status, textOf(body, 'code') ?? 'unexpected', await translate(textOf(body, 'error') ?? statusText), body)
}

/**
 * What a request brought. Throws ApiError for a refusal; a server that does not answer is an ApiError with status 0 and the code
 * `unreachable`.
 */
export async function take<D> (request: Promise<Reply<D>>): Promise<D> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw new ApiError(0, 'unreachable', 'The appliance does not answer.', cause)
  })
  if (response.ok) return data as D
  throw await toRefusal(response, error)
}
