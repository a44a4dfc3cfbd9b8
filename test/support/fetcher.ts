/** Fetchers for tests, and what comes of their requests. */
import type { Test } from 'tap'
import { createFetcher } from '../../dist/engine/http/fetcher.js'
import type { FetchAnswer, FetchRequest, Fetcher } from '../../dist/engine/http/fetcher.js'
import { FetchError } from '../../dist/domain/fetch-error.js'
import { allowing, lookUp } from './address-tricks.ts'

/** A fetcher for names of the tests' own name service, which by itself may reach nothing of this machine. */
export function makeFetcher (t: Test, deps: Partial<Parameters<typeof createFetcher>[0]> = {}): Fetcher {
  const fetcher = createFetcher({ allow: allowing(), offline: false, lookup: lookUp, ...deps })
  t.teardown(fetcher.close)
  return fetcher
}

/** A fetcher that may reach these servers and nothing else inside. */
export const makeAllowed = (t: Test, ...urls: string[]): Fetcher =>
  makeFetcher(t, { allow: allowing(...urls.map((url) => new URL(url).host)) })

export async function readText ({ body }: FetchAnswer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The code of the `FetchError` a promise is rejected with. */
export async function codeOf (work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'it worked'
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return error.code
  }
}

export const get = (url: string, more: Partial<FetchRequest> = {}): FetchRequest => ({ purpose: 'sources', url, ...more })
