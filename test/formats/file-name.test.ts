import t from 'tap'
import { toRecordingName, UNNAMED } from '../../dist/domain/recording-name.js'
import { toExportName } from '../../dist/formats/file-name.js'

t.test('the name of the recording with another ending', async (t) => {
  const names: Array<[string, string]> = [
    ['talk.mp3', 'talk.srt'],
    ['Überblick für 2026.webm', 'Überblick für 2026.srt'],
    ['会议.wav', '会议.srt'],
    ['v1.2 of the plan', 'v1.2 of the plan.srt'],
    ['release 1.10', 'release 1.10.srt'],
    ['archive.tar.gz', 'archive.tar.srt'],
    ['../../etc/passwd', '_.._etc_passwd.srt'],
    ['C:\\talks\\"best" <of>|*?.mp3', 'C__talks__best_ _of____.srt'],
    ['a\r\nSet-Cookie: x=1.mp3', 'a Set-Cookie_ x=1.srt'],
    ['evil\u202e3pm.exe', 'evil3pm.srt'],
    ['\u0000\u0007.mp3', 'transcription-7.srt'],
    ['', 'recording.srt'],
    ['...', 'transcription-7.srt'],
    ['.mp3', 'transcription-7.srt'],
    ['. hidden .mp3', 'hidden.srt'],
    ['half \ud83d.mp3', 'half \ufffd.srt']
  ]
  for (const [given, wanted] of names) t.equal(toExportName(toRecordingName(given) ?? UNNAMED, 'srt', 'transcription-7'), wanted)
})

t.test('a name fits into every file system, and no character is halved', async (t) => {
  for (const name of ['x'.repeat(255), '長'.repeat(255), '👩'.repeat(120)]) {
    const short = toExportName(toRecordingName(name) ?? UNNAMED, 'docx', 'x')
    t.ok(Buffer.byteLength(short) <= 200)
    t.ok(short.length > 40)
    t.notMatch(short, /\p{Cs}/u)
  }
})
