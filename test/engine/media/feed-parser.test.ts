import t from 'tap'
import { findNewestEpisode } from '../../../dist/engine/media/feed-parser.js'

const FEED = 'https://pod.example/feeds/main.xml'
const rss = (...items: string[]): string =>
  '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Pod</title>' +
  `${items.map((item) => `<item>${item}</item>`).join('')}</channel></rss>`
const sound = (url: string, type = 'audio/mpeg'): string => `<enclosure url="${url}" type="${type}" length="1"/>`

t.test('the newest episode is chosen, at any position in the feed', async (t) => {
  const text = rss(
    `<title>One</title><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate>${sound('https://a.example/1.mp3')}`,
    '<title>Three &amp; last &#8211; “<![CDATA[<b>]]>”</title><pubDate>Wed, 03 Jun 2026 08:00:00 +0200</pubDate>' +
      sound('https://a.example/3.mp3?a=1&amp;b=2'),
    `<title>Two</title><pubDate>Tue, 02 Jun 2026 08:00:00 GMT</pubDate>${sound('https://a.example/2.mp3')}`
  )
  t.strictSame(findNewestEpisode(text, FEED), {
    url: 'https://a.example/3.mp3?a=1&b=2',
    title: 'Three & last – “<b>”',
    publishedAt: Date.UTC(2026, 5, 3, 6)
  })
})

t.test('without dates the first episode is chosen; a dated one comes before undated ones', async (t) => {
  t.match(findNewestEpisode(rss(sound('https://a.example/1.mp3'), sound('https://a.example/2.mp3')), FEED), {
    url: 'https://a.example/1.mp3',
    title: undefined,
    publishedAt: undefined
  })
  t.match(
    findNewestEpisode(
      rss(
        `<pubDate>soon</pubDate>${sound('https://a.example/1.mp3')}`,
        `<pubDate>2026-06-01</pubDate>${sound('https://a.example/2.mp3')}`
      ),
      FEED
    ),
    { url: 'https://a.example/2.mp3' }
  )
})

t.test('episodes without sound are skipped; pictures and texts are not sound', async (t) => {
  const text = rss(
    '<title>News</title><pubDate>Fri, 05 Jun 2026 08:00:00 GMT</pubDate>',
    `<title>Cover</title><pubDate>Thu, 04 Jun 2026 08:00:00 GMT</pubDate>${sound('https://a.example/cover.jpg', 'image/jpeg')}`,
    '<title>Talk</title><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate>' +
      sound('https://a.example/notes.pdf', 'application/pdf') + sound('/talk.mp3')
  )
  t.match(findNewestEpisode(text, FEED), { title: 'Talk', url: 'https://pod.example/talk.mp3' })
  t.match(findNewestEpisode(rss('<media:content url="https://a.example/v.mp4" medium="video"/>'), FEED), { url: 'https://a.example/v.mp4' })
  t.match(findNewestEpisode(rss(sound('https://a.example/unknown', '')), FEED), { url: 'https://a.example/unknown' })
})

t.test('Atom and RDF are feeds too', async (t) => {
  const atom =
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="text">Talk</title><published>2026-06-01T08:00:00Z</published>' +
    '<link href="https://a.example/page"/><link rel="enclosure" type="audio/ogg" href="talk.ogg"/></entry></feed>'
  t.strictSame(findNewestEpisode(atom, FEED), {
    url: 'https://pod.example/feeds/talk.ogg',
    title: 'Talk',
    publishedAt: Date.UTC(2026, 5, 1, 8)
  })
  const item = `<item><title>Old</title><dc:date>2026-06-01</dc:date>${sound('https://a.example/1.mp3')}</item>`
  const rdf = `<rdf:RDF xmlns:rdf="x">${item}</rdf:RDF>`
  t.match(findNewestEpisode(rdf, FEED), { title: 'Old', publishedAt: Date.UTC(2026, 5, 1) })
})

t.test('a feed without sound, or an invalid one, is unsupported', async (t) => {
  for (const text of [
    rss(),
    rss('<title>News</title>'),
    '<rss/>',
    '<feed></feed>',
    '<rss><channel><item>',
    'no xml',
    '',
    rss(sound('http://')),
    `${'<a>'.repeat(5000)}`
  ]) {
    t.throws(() => findNewestEpisode(text, FEED), { name: 'JobFailure', code: 'source_unsupported' }, text.slice(0, 40))
  }
})

t.test('a feed that declares entities is refused before it is parsed', async (t) => {
  const laughs = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
  const file = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
  for (const doctype of [laughs, file, '<!doctype rss SYSTEM "http://10.0.0.1/x.dtd">', '<!ENTITY x "y">']) {
    t.throws(
      () => findNewestEpisode(doctype + rss(sound('https://a.example/1.mp3')), FEED),
      { code: 'source_unsupported' },
      doctype.slice(0, 30)
    )
  }
})

t.test('element names such as __proto__ are ordinary names', async (t) => {
  t.throws(() => findNewestEpisode('<rss><channel><__proto__><item/></__proto__><constructor/></channel></rss>', FEED), {
    code: 'source_unsupported'
  })
  t.equal(({} as Record<string, unknown>)['item'], undefined)
})

t.test('a feed of ten thousand episodes takes no more than a moment', async (t) => {
  const items = Array.from({ length: 10_000 }, (_, index) => {
    const date = new Date(Date.UTC(2000, 0, 1 + (index % 5000))).toUTCString()
    return `<title>Episode ${index}</title><description>${'word '.repeat(50)}</description><pubDate>${date}</pubDate>` +
      sound(`https://a.example/${index}.mp3`)
  })
  const startedMs = performance.now()
  t.match(findNewestEpisode(rss(...items), FEED), { url: 'https://a.example/4999.mp3' })
  t.ok(performance.now() - startedMs < 5000, `${Math.round(performance.now() - startedMs)} ms`)
})

t.test('the address of an episode has no fragment: yt-dlp takes orders from some', async (t) => {
  t.equal(findNewestEpisode(rss(sound('https://a.example/1.mp3#__youtubedl_smuggle=%7B%7D')), FEED).url, 'https://a.example/1.mp3')
})
