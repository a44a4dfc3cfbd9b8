import t from 'tap'
import { attachmentNamed } from '../../dist/routes/content-disposition.js'

t.test('a plain name is quoted, every other is given twice', async (t) => {
  t.equal(attachmentNamed('my talk.srt'), 'attachment; filename="my talk.srt"')
  t.equal(attachmentNamed('Überblick.srt'), 'attachment; filename="_berblick.srt"; filename*=UTF-8\'\'%C3%9Cberblick.srt')
  t.equal(attachmentNamed('会议 👩.md'), 'attachment; filename="__ _.md"; filename*=UTF-8\'\'%E4%BC%9A%E8%AE%AE%20%F0%9F%91%A9.md')
  t.equal(
    attachmentNamed('it\'s (100 %) *.txt'),
    'attachment; filename="it\'s (100 _) *.txt"; filename*=UTF-8\'\'it%27s%20%28100%20%25%29%20%2A.txt'
  )
})

t.test('no name ends the value or the header', async (t) => {
  for (let code = 0; code <= 0x2fff; code++) {
    const header = attachmentNamed(`a${String.fromCharCode(code)}b"; filename="c\\`)
    if (!/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w.~!#$&+^`|%-]+$/.test(header)) t.fail(`${code}: ${header}`)
    if (!/^[\x20-\x7e]*$/.test(header)) t.fail(`${code} is no header`)
  }
  t.equal(attachmentNamed('\ud800.txt'), 'attachment; filename="_.txt"; filename*=UTF-8\'\'%EF%BF%BD.txt')
})
