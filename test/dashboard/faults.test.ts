/** Where the refusal of a form is shown. */
import t from 'tap'

type Faults = { at (field: string): string | undefined, rest: unknown }
/** By their addresses, so that the compiler of the tests, which knows no pages, does not follow them. */
const load = async (name: string): Promise<unknown> => await import(new URL(`../../src/dashboard/api/${name}`, import.meta.url).href)
const { faultsOf } = await load('faults.ts') as {
  faultsOf (error: unknown, fields: readonly string[], codes?: Record<string, string>): Faults
}
const { ApiError } = await load('client.ts') as { ApiError: new (status: number, code: string, message: string, body: unknown) => Error }

t.test('a sentence about a field is shown there, without the name of the field', async (t) => {
  const faults = faultsOf(new ApiError(400, 'invalid_request', 'url: must match format "uri"', {}), ['url'])
  t.strictSame([faults.at('url'), faults.rest], ['must match format "uri"', undefined])
})

t.test('a code belongs to the field that the form names for it', async (t) => {
  const error = new ApiError(403, 'wrong_password', 'The current password is wrong.', {})
  const faults = faultsOf(error, ['current'], { wrong_password: 'current' })
  t.strictSame([faults.at('current'), faults.rest], ['The current password is wrong.', undefined])
})

t.test('everything else is shown for the whole form, as the error that it is: the page has its own words for some', async (t) => {
  const error = new ApiError(0, 'unreachable', 'The appliance does not answer.', undefined)
  const faults = faultsOf(error, ['url'])
  t.equal(faults.at('url'), undefined)
  t.equal(faults.rest, error)
  t.equal(faultsOf(null, ['url']).rest, undefined)
})
