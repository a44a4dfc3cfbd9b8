import t from 'tap'
import {
  applyMirror,
  isThisMachine,
  mayRedirect,
  parseContentRange,
  parseLinkedRecord,
  withoutSecrets
} from '../../dist/domain/model-source.js'

const HUB = 'https://huggingface.co/a/b/resolve/main/x.bin'

t.test('a mirror stands in for the hub, and for nothing else', async (t) => {
  t.equal(applyMirror(HUB, undefined).href, HUB)
  t.equal(applyMirror(HUB, 'http://mirror.example:8081').href, 'http://mirror.example:8081/a/b/resolve/main/x.bin')
  t.equal(
    applyMirror(HUB, 'https://u:p@mirror.example/repository/hub/?key=1').href,
    'https://u:p@mirror.example/repository/hub/a/b/resolve/main/x.bin?key=1'
  )
  for (const other of ['https://example.org/x.bin', 'http://huggingface.co/x.bin', 'https://huggingface.co.example.org/x.bin']) {
    t.equal(applyMirror(other, 'http://mirror.example').href, other)
  }
})

t.test('what is shown of an address holds no secret', async (t) => {
  t.equal(withoutSecrets(new URL('https://u:hunter2@example.org:8443/a/b?key=hunter2#hunter2')), 'https://example.org:8443/a/b')
})

t.test('https is left only for this machine', async (t) => {
  const may = (from: string, to: string): boolean => mayRedirect(new URL(from), new URL(to))
  t.ok(may('https://a.example', 'https://b.example'))
  t.ok(may('http://a.example', 'http://b.example'))
  t.ok(may('http://a.example', 'https://b.example'))
  t.ok(may('https://a.example', 'http://127.0.0.1:80'))
  t.notOk(may('https://a.example', 'http://a.example'))
  for (const bad of ['file:///etc/passwd', 'ftp://a.example', 'data:,x']) t.notOk(may('http://a.example', bad), bad)
  t.strictSame(['localhost', 'x.localhost', '127.8.9.1', '[::1]'].map(isThisMachine), [true, true, true, true])
  t.strictSame(['127.0.0.1.example', 'localhost.example', '10.0.0.1', 'notlocalhost'].map(isThisMachine), [false, false, false, false])
})

t.test('the record of the hub is a SHA-256, or nothing', async (t) => {
  const hash = 'ab'.repeat(32)
  t.strictSame(parseLinkedRecord(`"${hash.toUpperCase()}"`, '12'), { sha256: hash, bytes: 12 })
  t.strictSame(parseLinkedRecord(hash, 'many'), { sha256: hash })
  for (const etag of [undefined, '', '"' + 'ab'.repeat(20) + '"', hash + '0']) t.equal(parseLinkedRecord(etag, '12'), undefined)
})

t.test('a content range is read, and nothing like it', async (t) => {
  t.strictSame(parseContentRange('bytes 5-9/10'), { start: 5, total: 10 })
  t.strictSame(parseContentRange('bytes 5-9/*'), { start: 5, total: undefined })
  for (const text of [undefined, '', 'bytes */10', 'bytes 5-/10', 'items 5-9/10']) t.equal(parseContentRange(text), undefined)
})
