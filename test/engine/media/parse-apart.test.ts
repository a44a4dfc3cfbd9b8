import t from 'tap'
import { findNewestEpisode, readPageInfo } from '../../../dist/engine/media/parse-apart.js'

const FEED = 'https://pod.example/feeds/main.xml'
const MIB = 1024 ** 2
const never = new AbortController().signal
const channel = (content: string): string => `<rss version="2.0"><channel>${content}</channel></rss>`
const ENCLOSURE = '<enclosure url="/talk.mp3" type="audio/mpeg"/>'
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length))

t.test('a feed and a page are read in a program of their own', async (t) => {
  t.strictSame(await findNewestEpisode(channel(`<item><title>Grüße &amp; 🎙</title>${ENCLOSURE}</item>`), FEED, never), {
    url: 'https://pod.example/talk.mp3',
    title: 'Grüße & 🎙'
  })
  t.match(await readPageInfo(JSON.stringify({ title: 'Talk', id: '1', extractor_key: 'Site', duration: 2.5 }), never), {
    title: 'Talk', identity: 'Site:1', durationMs: 2500
  })
})

t.test('a failure keeps its code', async (t) => {
  await t.rejects(findNewestEpisode('<rss></rss>', FEED, never), { name: 'JobFailure', code: 'source_unsupported', message: /no episode/ })
  await t.rejects(readPageInfo('{"_type":"playlist"}', never), { code: 'source_unsupported', message: /a list/ })
  for (const text of ['{"token":"abcdef', '{"title":1,"upload_date":{}}']) {
    await t.rejects(readPageInfo(text, never), { code: 'source_unsupported', message: 'the page cannot be read' })
  }
})

t.test('other work goes on while a hostile feed is read, and its job fails', async (t) => {
  const feeds = {
    'empty items': fill('<item/>', 8 * MIB),
    'attributes of one element': `<item ${Array.from({ length: 200_000 }, (_, index) => `a${index}="${index}"`).join(' ')}/>`,
    entities: `<item><title>${fill('&amp;', 4 * MIB)}</title></item>`,
    'nested elements': fill('<a>', MIB),
    'a long address': `<item><enclosure url="/${'x'.repeat(MIB)}" type="audio/mpeg"/></item>`
  }
  for (const [name, content] of Object.entries(feeds)) {
    const order: string[] = []
    const reading = findNewestEpisode(channel(content), FEED, never).then(() => 'found', (error: { code?: string }) => error.code)
      .then((outcome) => { order.push('feed'); return outcome })
    await new Promise((resolve) => { setImmediate(resolve) })
    order.push('request')
    const outcome = await reading
    t.strictSame(order, ['request', 'feed'], name)
    t.equal(outcome, 'source_unsupported', name)
  }
})

t.test('reading stops with its job', async (t) => {
  const controller = new AbortController()
  const reading = findNewestEpisode(channel(fill('<item/>', 8 * MIB)), FEED, controller.signal)
  controller.abort(new Error('the job has ended'))
  await t.rejects(reading, { message: 'the job has ended' })
})
