/** Drafts of engines, checked and rendered. */
import t from 'tap'
import { finishArtifact } from '../../dist/formats/artifact.js'
import { makeSource, ODD_SOURCES, readSpoken, speak } from '../support/artifact-sources.ts'

const short = makeSource({ language: 'en', title: 'two_words', sentences: speak('Hello there, friends. Use *stars* [now]!\nGood bye.') })

t.test('quotes are copied from the transcript, whatever the draft says', async (t) => {
  const spans = [[2, 2], [0, 0], [2, 9], [-1, 0], [0.5, 1], [1, 0]] as const
  const quotes = spans.map(([first, last]) => ({ first, last }))
  const made = finishArtifact('quotes', { mode: 'quotes', quotes }, short)
  t.strictSame(made.quotes?.map(({ text }) => text), ['Hello there, friends.', 'Good bye.'])
  t.equal(made.content, '> “Hello there, friends.” (00:00)\n\n> “Good bye.” (00:03)')
})

t.test('chapters begin at 0 and ascend; unknown sentences and empty titles are dropped', async (t) => {
  const talk = readSpoken('talk')
  const chapters = [
    { title: 'Garden\n behind', sentence: 23 },
    { title: 'Bread', sentence: 2 },
    { title: '', sentence: 50 },
    { title: 'Nowhere', sentence: 999 }
  ]
  const made = finishArtifact('chapters', { mode: 'chapters', chapters }, talk)
  t.strictSame(made.chapters, [{ title: 'Bread', startMs: 0 }, { title: 'Garden behind', startMs: talk.sentences[23]?.startMs }])
  t.equal(made.content, '00:00 Bread\n01:19 Garden behind')
  const many = talk.sentences.map((_, sentence) => ({ title: `Sentence ${sentence}`, sentence }))
  t.equal(finishArtifact('chapters', { mode: 'chapters', chapters: many }, talk).chapters?.length, 15)
})

t.test('too little is refused where the transcript has enough', async (t) => {
  const talk = readSpoken('talk')
  for (const draft of [
    { mode: 'summary', text: 'One sentence.' },
    { mode: 'quotes', quotes: [{ first: 0, last: 0 }] },
    { mode: 'chapters', chapters: [] },
    { mode: 'thread', posts: ['one'] },
    { mode: 'show-notes', intro: 'Short.', topics: [] }
  ] as const) {
    t.throws(() => finishArtifact(draft.mode, draft, talk), { name: 'ArtifactError', code: 'unusable' }, draft.mode)
  }
  t.throws(() => finishArtifact('blog', { mode: 'summary', text: 'A. B. C.' }, talk), { code: 'unusable' }, 'another mode')
})

t.test('too much is shortened', async (t) => {
  const talk = readSpoken('talk')
  const text = talk.sentences.map((sentence) => sentence.text).join(' ')
  t.equal(finishArtifact('summary', { mode: 'summary', text }, talk).content.split('. ').length, 5)
  const posts = Array.from({ length: 40 }, () => text)
  const thread = finishArtifact('thread', { mode: 'thread', posts }, talk).content.split('\n\n')
  t.equal(thread.length, 15)
  t.ok(thread.every((post, index) => post.length <= 280 && post.startsWith(`${index + 1}/15 `)))
  const sections = ['A', 'B', 'C'].map((heading) => ({ heading, text: `${text}\n\n${text}` }))
  const blog = finishArtifact('blog', { mode: 'blog', title: 'T', intro: 'I.', sections }, talk).content
  t.ok(blog.split(/\s+/).length <= 1200)
  t.ok(blog.split(/\s+/).length > 1100)
})

t.test('Markdown in the transcript stays text', async (t) => {
  const made = finishArtifact('quotes', { mode: 'quotes', quotes: [{ first: 1, last: 1 }] }, short)
  t.equal(made.quotes?.[0]?.text, 'Use *stars* [now]!')
  t.equal(made.content, '> “Use \\*stars\\* \\[now\\]!” (00:02)')
})

t.test('an empty transcript has sensible artifacts', async (t) => {
  const empty = ODD_SOURCES['an empty transcript']?.() ?? t.fail('missing') as never
  t.equal(finishArtifact('summary', undefined, empty).content, 'Nothing was said in this recording.')
  t.strictSame(finishArtifact('chapters', undefined, empty), { content: '', chapters: [] })
  t.strictSame(finishArtifact('quotes', undefined, empty), { content: '', quotes: [] })
  t.equal(finishArtifact('blog', undefined, empty).content, '# silence\n\nNothing was said in this recording.')
})
