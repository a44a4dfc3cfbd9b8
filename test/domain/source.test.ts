import t from 'tap'
import { lendCredentials, nameFromDisposition, nameFromUrl, parseSourceUrl, sniffKind, toShownUrl } from '../../dist/domain/source.js'

t.test('http and https addresses are taken, without their fragment', async (t) => {
  t.equal(parseSourceUrl('https://example.org/a?b=c#t=10', 'url'), 'https://example.org/a?b=c')
  t.equal(parseSourceUrl('HTTP://EXAMPLE.org', 'url'), 'http://example.org/')
  const smuggled = 'https://x.example/#__youtubedl_smuggle=%7B%22http_headers%22%3A%7B%7D%7D'
  t.equal(parseSourceUrl(smuggled, 'url'), 'https://x.example/', 'options for yt-dlp in the fragment')
})

t.test('anything else is refused, and the field is named', async (t) => {
  for (const text of [
    `http://${'a'.repeat(300)}.example/`, '', 'talk.mp3', 'ftp://example.org/a', 'file:///etc/passwd',
    'data:audio/wav;base64,AAAA', 'javascript:1', 'https://', '//example.org', `https://example.org/${'a'.repeat(4096)}`
  ]) {
    t.throws(() => parseSourceUrl(text, 'source.url'), { code: 'invalid_request', message: /^source\.url: / }, text.slice(0, 40))
  }
})

t.test('a host name of more than 253 characters is refused', async (t) => {
  const host = `${'a'.repeat(49)}.`.repeat(5) + 'abc'
  t.equal(parseSourceUrl(`https://${host}/`, 'url'), `https://${host}/`)
  t.throws(() => parseSourceUrl(`https://a${host}/`, 'url'), { code: 'invalid_request', message: /^url: the host name .* 253 / })
})

t.test('what is shown holds no credentials', async (t) => {
  t.equal(toShownUrl('https://user:hunter2@example.org/a.mp3'), 'https://example.org/a.mp3')
  for (const name of [
    'X-Amz-Signature', 'X-Goog-Credential', 'token', 'access_token', 'sig', 'Signature',
    'Key-Pair-Id', 'api_key', 'apikey', 'password', 'auth', 'authuser', 'sid', 'hdnts'
  ]) {
    t.equal(toShownUrl(`https://example.org/watch?v=abc&${name}=hunter2&t=5`), 'https://example.org/watch?v=abc&t=5', name)
  }
  t.equal(toShownUrl('https://example.org/watch?v=abc&list=def'), 'https://example.org/watch?v=abc&list=def')
})

t.test('a name is the last part of the path, else the host', async (t) => {
  t.equal(nameFromUrl('https://example.org/a/Gr%C3%BC%C3%9Fe.mp3?x=1'), 'Grüße.mp3')
  t.equal(nameFromUrl('https://example.org/talks/'), 'talks')
  t.equal(nameFromUrl('https://example.org/'), 'example.org')
  t.equal(nameFromUrl('https://example.org/%E0%A4%A'), '%E0%A4%A', 'not decodable')
  t.equal(nameFromUrl('https://example.org/a%0Ab%00'), 'a b')
})

t.test('a name that the server gives', async (t) => {
  t.equal(nameFromDisposition('attachment; filename="a \\"quoted\\" talk.mp3"'), 'a "quoted" talk.mp3')
  t.equal(nameFromDisposition('attachment; filename=talk.mp3; size=5'), 'talk.mp3')
  t.equal(nameFromDisposition('attachment; filename="x.mp3"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe.mp3'), 'Grüße.mp3')
  t.equal(nameFromDisposition('attachment; filename="../../etc/passwd"'), 'passwd')
  for (const header of [undefined, '', 'inline', 'attachment; filename=""', 'attachment; filename="///"']) {
    t.equal(nameFromDisposition(header), undefined, String(header))
  }
})

t.test('what an answer is, is seen by its bytes, however wrong its type', async (t) => {
  const html = '<!DOCTYPE html><html><head><title>x</title></head></html>'
  const cases: Array<[kind: string, text: string, headers?: Record<string, string>]> = [
    ['media', 'ID3\u0004\u0000\u0000', { 'content-type': 'text/html' }],
    ['media', 'OggS\u0000', { 'content-type': 'application/rss+xml' }],
    ['media', '\u0000\u0000\u0000\u0020ftypisom'],
    ['media', 'RIFF\u0000\u0000WAVE'],
    ['media', ''],
    ['media', '{"not":"a page"}', { 'content-type': 'application/json' }],
    ['page', html],
    ['page', `\ufeff\n  ${html}`, { 'content-type': 'audio/mpeg' }],
    ['page', '<div>a page without a head</div>', { 'content-type': 'text/html; charset=utf-8' }],
    ['page', 'plain words in a page', { 'content-type': 'text/html' }],
    ['feed', '<?xml version="1.0"?><!-- made by hand --><rss version="2.0"><channel>'],
    ['feed', '<feed xmlns="http://www.w3.org/2005/Atom">'],
    ['manifest', '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011">'],
    ['manifest', '#EXTM3U\n#EXT-X-VERSION:3', { 'content-type': 'text/plain' }],
    ['live', 'ID3\u0000', { 'icy-name': 'Radio', 'content-type': 'audio/mpeg' }],
    ['media', 'ID3\u0000', { 'icy-name': 'Radio', 'content-length': '100' }]
  ]
  for (const [kind, text, headers = {}] of cases) {
    t.equal(sniffKind(Buffer.from(text), headers), kind, JSON.stringify([text.slice(0, 40), headers]))
  }
  t.equal(sniffKind(Buffer.from([0xff, 0xfb, 0x90, 0x64, 0x3c, 0x68]), { 'content-type': 'text/html' }), 'media', 'sound without a header')
})

t.test('name and password of an address count for all of its server, and for no other', async (t) => {
  const lender = 'https://user:a%40b@example.org/feed.xml'
  t.equal(lendCredentials('https://example.org/1.mp3?a=1', lender), 'https://user:a%40b@example.org/1.mp3?a=1')
  t.equal(lendCredentials('https://own:one@example.org/1.mp3', lender), 'https://own:one@example.org/1.mp3')
  for (const address of [
    'http://example.org/1.mp3', 'https://example.org:444/1.mp3', 'https://cdn.example.org/1.mp3', 'file:///etc/passwd'
  ]) t.equal(lendCredentials(address, lender), address)
  t.equal(lendCredentials('https://example.org/1.mp3', 'https://example.org/feed.xml'), 'https://example.org/1.mp3')
})
