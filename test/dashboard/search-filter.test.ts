/** The filters of the search, between the address, the request and the recordings that are found by name. */
import t from 'tap'

// In Chicago, a day begins at 5:00 UTC in summer, and at 6:00 from 2026-11-02: the clocks go back on the day before.
process.env['TZ'] = 'America/Chicago'

type Filter = Partial<Record<'language' | 'speaker' | 'from' | 'to' | 'source', string>>
type Recording = { createdAt: string, speakers: string[], language?: string, sourceUrl?: string }
/** By its address, so that the compiler of the tests, which knows no pages, does not follow it. */
const { fits, readFilter, toQuery, toSource } = await import(
  new URL('../../src/dashboard/library/search-filter.ts', import.meta.url).href
) as {
  fits (recording: Recording, filter: Filter): boolean
  readFilter (search: Filter & { q?: string }): Filter
  toQuery (filter: Filter): Record<string, string | undefined>
  toSource (text: string): string
}
const { readLibrarySearch } = await import(new URL('../../src/dashboard/library/search-params.ts', import.meta.url).href) as {
  readLibrarySearch (search: Record<string, unknown>): Record<string, unknown>
}

t.test('days are those of the person, and the last one counts as a whole', async (t) => {
  t.match(toQuery({ from: '2026-10-31', to: '2026-11-01' }), { from: '2026-10-31T05:00:00.000Z', before: '2026-11-02T06:00:00.000Z' })
  t.match(toQuery({ to: '2026-12-31' }), { from: undefined, before: '2027-01-01T06:00:00.000Z' })
})

t.test('what makes no sense in an address is left out', async (t) => {
  t.strictSame(readFilter({ q: 'budget', speaker: 'Anna', from: 'soon', to: '2026-13-40' }), { speaker: 'Anna' })
  t.strictSame(readFilter({ from: '2026-11-22' }), { from: '2026-11-22' })
  t.strictSame(readFilter({}), {})
})

t.test('an address is read with care: the browser knows no name for what is no code of a language', async (t) => {
  t.match(readLibrarySearch({ q: 2026, language: 'de', speaker: ' ', from: '2026-11-22', source: ['x'] }), {
    q: '2026', language: 'de', speaker: undefined, from: '2026-11-22', source: undefined
  })
  t.equal(readLibrarySearch({ language: '??' })['language'], undefined)
})

t.test('a recording fits only if every filter does', async (t) => {
  const recording = {
    createdAt: '2026-11-22T12:00:00.000Z', language: 'de', speakers: ['Anna', 'Speaker 2'], sourceUrl: 'https://example.org/talk.mp3'
  }
  const all = { language: 'de', speaker: 'Anna', from: '2026-11-22', to: '2026-11-22', source: 'https://example.org/talk.mp3' }
  t.ok(fits(recording, {}))
  t.ok(fits(recording, all))
  for (const other of [{ speaker: 'anna' }, { from: '2026-11-23' }, { to: '2026-11-21' }, { source: 'x' }]) {
    t.notOk(fits(recording, { ...all, ...other }), JSON.stringify(other))
  }
})

t.test('an address is compared as recordings have it, and no secret of it comes into the address of the page', async (t) => {
  t.equal(toSource('https://ada:secret@Example.org/a b#t=3'), 'https://example.org/a%20b')
  t.equal(toSource('https://example.org/a.mp3?v=2&X-Amz-Signature=s&token=t'), 'https://example.org/a.mp3?v=2')
  t.equal(toSource('example'), 'example')
})
