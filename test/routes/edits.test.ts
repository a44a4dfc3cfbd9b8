/** Editing transcripts over HTTP: what is shown, what stays, conflicts, revisions and undo. */
import t from 'tap'
import { buildEdited } from '../support/edits.ts'
import type { Segment } from '../support/edits.ts'

const TEXTS = [' We meat at nine.', ' Who is coming?', ' Jon and Jonas.', ' שלום <b>all</b> 🎉']

t.test('segments come in pages, in the order of time', async (t) => {
  const { page, request } = await buildEdited(t, TEXTS)
  const all = await page()
  t.match(all, { revision: 0, total: 4, offset: 0, next: null })
  t.match(all.segments[0], {
    id: '0.0', start: 0, end: 0.8, text: TEXTS[0], revision: 0, edited: false, speaker: 'Speaker 1', speakerLabel: 'Speaker 1',
    words: [{ word: ' We', start: 0, end: 0.2, probability: 0.5 }, { word: ' meat' }, {}, {}]
  })
  t.notOk('edited' in all.segments[0]!.words[0]! || 'speaker' in all.segments[0]!.words[0]!)
  const walked: Segment[] = []
  for (let next: string | null = ''; next !== null;) {
    const part = await page(`?limit=3${next && `&after=${next}`}`)
    walked.push(...part.segments)
    next = part.next
  }
  t.strictSame(walked, all.segments)
  for (const query of ['?after=9.9', '?after=x', '?after=0', '?after=00.1', '?limit=0', '?limit=2001']) {
    t.match(await request('GET', `/segments${query}`), { status: 400, body: { code: 'invalid_request' } }, query)
  }
})

t.test('a page of segments begins where the reader wants', async (t) => {
  const { page, request } = await buildEdited(t, TEXTS)
  const { segments: all } = await page()
  const [, { start, end, id } = { start: 0, end: 0, id: '' }] = all
  const begins: Array<[query: string, offset: number, why: string]> = [
    ['?from=0', 0, 'at the start'],
    [`?from=${start}`, 1, 'when a segment begins'],
    [`?from=${(start + end) / 2}`, 1, 'while it is spoken'],
    [`?from=${end + 0.5}`, 1, 'in the pause after it'],
    ['?from=1e9', 3, 'after the end of the recording'],
    ['?offset=0', 0, 'at the first place'],
    ['?offset=2', 2, 'at a place'],
    [`?after=${id}`, 2, 'after a segment'],
    ['?after=0.3', 4, 'after the last segment'],
    ['?offset=9', 4, 'at a place beyond the end']
  ]
  for (const [query, offset, why] of begins) {
    t.strictSame(await page(query), { revision: 0, total: 4, offset, segments: all.slice(offset), next: null }, why)
  }
  t.match(await page(`?from=${start}&limit=2`), { offset: 1, segments: [{ id }, { id: '0.2' }], next: '0.2' })
  for (const query of [
    '?from=-1', '?from=x', '?from=', '?from=NaN', '?from=Infinity', '?from=1e10', '?from=1&from=2',
    '?offset=-1', '?offset=1.5', '?offset=x', '?from=1&offset=1', `?from=1&after=${id}`, `?offset=1&after=${id}`
  ]) {
    t.match(await request('GET', `/segments${query}`), { status: 400, body: { code: 'invalid_request' } }, query)
  }
})

t.test('segments of two channels are in one order, whatever page they are in', async (t) => {
  const { id, page, stores } = await buildEdited(t, TEXTS)
  const word = (startMs: number) => ({ text: ' yes', startMs, endMs: startMs + 100, probability: 1 })
  stores.transcripts.insertWindow(id, 1, [500, 1800].map((startMs) =>
    ({ startMs, endMs: startMs + 100, text: ' yes', words: [word(startMs)], channel: 2 as const })))
  const { segments } = await page()
  t.strictSame(segments.map((segment) => segment.id), ['0.0', '1.0', '0.1', '1.1', '0.2', '0.3'])
  for (const [offset, segment] of segments.entries()) {
    t.strictSame((await page(`?offset=${offset}`)).segments, segments.slice(offset))
    t.equal((await page(`?after=${segment.id}`)).offset, offset + 1)
  }
  t.equal((await page('?from=1.8')).offset, 3, 'the last one that has begun')
})

t.test('an edit is in the reply, in every export, in the text, and the machine\'s words stay', async (t) => {
  const { edit, exported, page, request, stores, id } = await buildEdited(t, TEXTS)
  const reply = await edit('0.0', 'We meet at nine — sharp.', 0)
  t.match(reply, { status: 200, body: { data: { text: ' We meet at nine — sharp.', revision: 1, edited: true, start: 0, end: 0.8 } } })
  const { words } = reply.body.data as unknown as Segment
  t.strictSame(words.filter(({ edited }) => edited).map(({ word }) => word), [' meet', ' nine', ' —', ' sharp.'])
  t.match(words[1], { start: 0.2, end: 0.4, probability: 1 })
  for (const format of ['txt', 'srt', 'vtt', 'md', 'json']) {
    const file = await exported(format)
    t.match(file, /meet/, format)
    t.notMatch(file, /meat/, format)
  }
  t.match((await request('GET', '')).body.data, { text: /^We meet at nine — sharp\. Who/ })
  t.match(await page(), { revision: 1, segments: [{ revision: 1 }, { revision: 0 }] })
  const row = stores.db.prepare('SELECT machine_text FROM segment WHERE job_id = ? AND idx = 0').pluck().get(id)
  t.equal(row, TEXTS[0])
  t.match(await edit('0.0', ' We  meet at nine — sharp. ', 1), { status: 200, body: { data: { revision: 1 } } }, 'the same text is no edit')
  t.match(await edit('0.0', 'We meat at nine.', 1), { body: { data: { revision: 2, edited: false, text: TEXTS[0] } } })
  const spoken = (await page()).segments[0]?.words.map(({ start, probability }) => [start, probability])
  t.strictSame(spoken, [[0, 0.5], [0.2, 0.5], [0.4, 0.5], [0.6, 0.5]],
    'typing what the machine wrote brings its words back')
})

t.test('text that looks like HTML, right-to-left text and emoji are stored as typed', async (t) => {
  const { edit, exported } = await buildEdited(t, TEXTS)
  const text = 'שלום לכם <img src=x onerror=alert(1)> & "quotes" 👩‍👩‍👧 \u202etxt'
  t.match(await edit('0.3', text, 0), { status: 200, body: { data: { text: ` ${text}` } } })
  const json = JSON.parse(await exported('json')) as { segments: Array<{ text: string }> }
  t.equal(json.segments[3]?.text, ` ${text}`)
  t.match(await edit('0.3', 'x'.repeat(5001), 1), { status: 400, body: { error: /^text/ } })
  t.match(await edit('0.3', 'a '.repeat(500), 1), { status: 200 })
})

t.test('an emptied segment is in no export, stays for the editor, and can be filled again', async (t) => {
  const { edit, exported, page, request } = await buildEdited(t, TEXTS)
  t.match(await edit('0.1', ' ', 0), { status: 200, body: { data: { text: '', words: [], revision: 1, edited: true } } })
  t.equal((JSON.parse(await exported('json')) as { segments: unknown[] }).segments.length, 3)
  t.equal((await exported('srt')).match(/-->/g)?.length, 3)
  t.equal((await page()).total, 4)
  t.match((await request('GET', '')).body.data, { text: /nine\. Jon/ })
  t.match(await edit('0.1', 'Who is going?', 1), {
    body: { data: { text: ' Who is going?', words: [{ start: 1.8, end: 2 }, { start: 2 }, { word: ' going?', start: 2.2, end: 2.4 }] } }
  })
})

t.test('an edit of a segment that has changed since gets the current one, and nothing is lost', async (t) => {
  const { edit, page } = await buildEdited(t, TEXTS)
  await edit('0.0', 'First tab.', 0)
  t.match(await edit('0.0', 'Second tab.', 0), {
    status: 409, body: { success: false, code: 'edit_conflict', current: { id: '0.0', text: ' First tab.', revision: 1, start: 0 } }
  })
  t.match(await edit('0.1', 'Another segment.', 0), { status: 200 })
  t.equal((await page()).segments[0]?.text, ' First tab.')
  t.match(await edit('0.0', 'Merged.', 1), { status: 200 })
})

t.test('undo goes back step by step, exactly, and an undo can be undone', async (t) => {
  const { edit, page, request, undo } = await buildEdited(t, TEXTS)
  const states = [(await page()).segments]
  await edit('0.0', 'We meet at nine.', 0)
  states.push((await page()).segments)
  await edit('0.0', 'We met at nine.', 1)
  states.push((await page()).segments)
  await edit('0.1', 'Who?', 0)
  const plain = (segments: Segment[] | undefined) => segments?.map(({ revision: _, ...segment }) => segment)
  t.match(await undo(), { status: 200, body: { data: { revision: 4, undone: 3, segments: ['0.1'] } } })
  t.strictSame(plain((await page()).segments), plain(states[2]))
  t.match(await undo(), { body: { data: { revision: 5, undone: 2 } } })
  t.strictSame(plain((await page()).segments), plain(states[1]))
  t.match(await undo(), { body: { data: { revision: 6, undone: 1 } } })
  t.strictSame(plain((await page()).segments), plain(states[0]), 'the machine\'s words again, and not edited')
  t.match(await undo(), { status: 409, body: { code: 'conflict', error: /nothing/ } })
  t.match(await undo(4), { status: 200 }, 'that of another segment can be')
  t.match(await undo(7), { status: 200 }, 'back and forth')
  t.match(await undo(5), { status: 409 }, 'a later undo changed the same text')
  t.match(await undo(6), { body: { data: { revision: 9, undone: 6 } } })
  t.strictSame(plain((await page()).segments), plain(states[1]), 'done again')
  t.match(await undo(5), { body: { data: { revision: 10, undone: 5 } } })
  t.strictSame(plain((await page()).segments), plain(states[2]))
  t.match(await undo(), { body: { data: { undone: 2 } } })
  const { data } = (await request('GET', '/revisions?limit=3')).body as unknown as { data: object[] }
  t.match(data, [
    { number: 11, kind: 'undo', undoes: 2, undone: false, segmentId: '0.0', before: ' We met at nine.', after: ' We meet at nine.' },
    { number: 10, kind: 'undo', undoes: 5, undone: false }, { number: 9, kind: 'undo', undoes: 6 }
  ])
})

t.test('an older revision can be undone if nothing later changed the same segments', async (t) => {
  const { edit, page, request, undo } = await buildEdited(t, TEXTS)
  await edit('0.0', 'one', 0)
  await edit('0.1', 'two', 0)
  await edit('0.0', 'three', 1)
  t.match(await undo(1), { status: 409, body: { code: 'conflict', error: /Later/ } })
  t.match(await undo(2), { status: 200 })
  t.match(await undo(2), { status: 409, body: { error: /already/ } })
  t.match(await undo(99), { status: 404 })
  t.match((await page()).segments.map(({ text }) => text), [' three', TEXTS[1], TEXTS[2], TEXTS[3]])
  const first = await request('GET', '/revisions?limit=2') as unknown as { body: { data: Array<{ number: number }>, nextCursor: string } }
  const second = await request('GET', `/revisions?limit=2&cursor=${first.body.nextCursor}`) as unknown as typeof first
  t.strictSame([...first.body.data, ...second.body.data].map(({ number }) => number), [4, 3, 2, 1])
  t.equal(second.body.nextCursor, null)
})

t.test('find and replace is one revision over many segments, and can be tried before', async (t) => {
  const { edit, page, request, undo } = await buildEdited(t, TEXTS)
  const before = await page()
  t.match(await request('POST', '/replace', { find: 'jon', replace: 'John', preview: true }), {
    status: 200, body: { data: { count: 2, segments: ['0.2'], revision: null } }
  })
  t.strictSame(await page(), before, 'nothing has changed')
  t.match(await request('POST', '/replace', { find: 'Jon', replace: 'John', wholeWords: true }), {
    body: { data: { count: 1, segments: ['0.2'], revision: 1 } }
  })
  t.match(await request('POST', '/replace', { find: 'i', replace: '$&', matchCase: true }), {
    body: { data: { count: 3, segments: ['0.0', '0.1'], revision: 2 } }
  })
  t.match((await page()).segments.map(({ text }) => text), [' We meat at n$&ne.', ' Who $&s com$&ng?', ' John and Jonas.', TEXTS[3]])
  t.match((await request('GET', '/revisions')).body.data, [{ kind: 'replace', segments: 2 }, { kind: 'replace', segments: 1 }])
  t.match(await request('POST', '/replace', { find: 'Jonas', replace: 'Jonas' }), { body: { data: { count: 1, revision: null } } })
  await edit('0.1', 'Who is coming?', 2)
  t.match(await undo(2), { status: 409 })
  await undo()
  t.match(await undo(2), { body: { data: { segments: ['0.0', '0.1'] } } })
  t.match(await undo(), { body: { data: { undone: 1 } } })
  const plain = (segments: Segment[]) => segments.map(({ revision: _, ...segment }) => segment)
  t.strictSame(plain((await page()).segments), plain(before.segments))
  for (const body of [{ find: ' ', replace: 'x' }, { find: 'e', replace: 'x'.repeat(501) }, { find: '', replace: '' }, { replace: 'x' }]) {
    t.match(await request('POST', '/replace', body), { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(body))
  }
  t.match(await request('POST', '/replace', { find: 'nothing of the sort', replace: '' }), { body: { data: { count: 0, segments: [] } } })
})

t.test('a segment has no more words than half a minute can have', async (t) => {
  const { edit, page, request } = await buildEdited(t, TEXTS)
  const refused = { status: 400, body: { code: 'invalid_request', error: /at most 500 words/ } }
  t.match(await edit('0.0', 'a '.repeat(501), 0), refused)
  t.match(await request('POST', '/replace', { find: 'e', replace: ' a'.repeat(250) }), refused)
  t.match(await page(), { revision: 0 }, 'nothing has changed')
  t.match(await edit('0.0', 'a '.repeat(500), 0), { status: 200 })
})

t.test('a page of segments with many words is shorter than was asked, and goes on', async (t) => {
  const { page } = await buildEdited(t, Array.from({ length: 130 }, () => ' a'.repeat(400)))
  const first = await page('?limit=2000')
  t.equal(first.segments.length, 112, 'the first 40,000 words, to the end of what is read at once')
  t.equal(first.next, first.segments.at(-1)?.id)
  const second = await page(`?limit=2000&after=${first.next}`)
  t.strictSame([second.offset, second.segments.length, second.next], [112, 18, null])
})

t.test('only the owner edits, and only what is completed', async (t) => {
  const { call, edit, key, id, stores, url } = await buildEdited(t, TEXTS)
  for (const [method, path, body] of [
    ['GET', '/segments'], ['PATCH', '/segments/0.0', { text: 'x', base: 0 }], ['POST', '/replace', { find: 'a', replace: 'b' }],
    ['GET', '/revisions'], ['POST', '/undo', {}]
  ] as const) {
    stores.db.prepare('UPDATE job SET status = \'failed\' WHERE id = ?').run(id)
    t.match(await call(key, method, url + path, body), { status: 422, body: { code: 'not_completed' } }, path)
    stores.db.prepare('UPDATE job SET status = \'completed\' WHERE id = ?').run(id)
    t.match(await call(key, method, `/api/v1/transcriptions/999${path}`, body), { status: 404 })
  }
  t.match(await edit('0.9', 'x', 0), { status: 404 })
  t.match(await edit('a', 'x', 0), { status: 400 })
})
