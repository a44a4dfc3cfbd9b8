import t from 'tap'
import { parseRecordingName, toRecordingName } from '../../dist/domain/recording-name.js'

t.test('a name is one line without control characters or surrounding white space', async (t) => {
  t.equal(toRecordingName('  a\r\n\tb\u2028c\u0000  '), 'a b c')
  t.equal(toRecordingName('\ufeff meeting \u0007\u0085.mp3'), 'meeting .mp3')
  t.equal(toRecordingName('two  spaces\u00a0stay.mp3'), 'two  spaces\u00a0stay.mp3')
  t.equal(toRecordingName('half \ud83d.mp3'), 'half \ufffd.mp3')
  for (const text of [undefined, '', ' \n ', '\u0000']) t.equal(toRecordingName(text), undefined)
})

t.test('a name of a source is cut to 255 characters, never inside a character', async (t) => {
  t.equal(toRecordingName('😀'.repeat(300)), '😀'.repeat(255))
  t.equal(toRecordingName('x'.repeat(254) + ' ' + 'y'), 'x'.repeat(254), 'the cut leaves no space at the end')
})

t.test('a name that a caller gives is refused when it is empty or too long', async (t) => {
  t.equal(parseRecordingName(' talk.mp3 '), 'talk.mp3')
  t.equal(parseRecordingName('😀'.repeat(255)), '😀'.repeat(255))
  t.equal(parseRecordingName(' '), undefined)
  t.throws(() => parseRecordingName(''), { code: 'invalid_request', message: 'fileName: must NOT have fewer than 1 characters' })
  t.throws(() => parseRecordingName('x'.repeat(256)), {
    code: 'invalid_request', message: 'fileName: must NOT have more than 255 characters'
  })
})
