import { join } from 'node:path'
import t from 'tap'
import { parseCommandLine } from '../../scripts/evaluate/command-line.ts'
import { listRecordings, parseFacts } from '../../scripts/evaluate/folder.ts'
import { README_END, README_START, renderEvaluation, renderSummary, replaceSection } from '../../scripts/evaluate/markdown.ts'
import type { Evaluation } from '../../scripts/evaluate/markdown.ts'
import { scoreRecording, sumScores } from '../../scripts/evaluate/score.ts'
import type { Recording } from '../../scripts/evaluate/folder.ts'

t.test('a folder is its recordings with what lies beside them', async (t) => {
  const folder = t.testdir({
    'a.WAV': '', 'a.txt': '\uFEFFHello there. \n', 'a.json': '{"language":"EN","duration":3,"sentences":[{"start":0.25,"end":1.5,"text":"Hello there.","speaker":"A"}]}',
    'a.mp3': '', 'silent.flac': '', 'silent.txt': '\n', 'b.ogg': '', 'notes.pdf': '', '.hidden.wav': '', 'zh.mp4': '', 'zh.txt': '你好', below: { 'c.wav': '' }
  })
  const { recordings, faults, notes } = listRecordings([folder])
  const sentences = [{ startMs: 250, endMs: 1500, text: 'Hello there.' }]
  t.strictSame(recordings.map(({ path, ...rest }) => rest), [
    { name: 'a.WAV', reference: { text: 'Hello there.', unit: 'word' }, language: 'en', sentences },
    { name: 'a.mp3', reference: { text: 'Hello there.', unit: 'word' }, language: 'en', sentences },
    { name: 'b.ogg' },
    { name: 'silent.flac', reference: { text: '', unit: 'word' } },
    { name: 'zh.mp4', reference: { text: '你好', unit: 'character' } }
  ])
  t.strictSame(faults, [])
  t.match(notes, [/^b.ogg has no reference/, /^notes.pdf is left out/])
  t.equal(recordings[0]?.path, join(folder, 'a.WAV'))
})

t.test('several folders keep their recordings apart', async (t) => {
  const root = t.testdir({ one: { 'a.wav': '' }, two: { 'a.wav': '' } })
  t.strictSame(listRecordings([join(root, 'one'), join(root, 'two')]).recordings.map(({ name }) => name), ['one/a.wav', 'two/a.wav'])
  t.throws(() => listRecordings([join(root, 'three')]), /there is no folder/)
})

t.test('a JSON that is not as it should be is named, and the recording scored without it', async (t) => {
  const { recordings, faults } = listRecordings([t.testdir({ 'a.wav': '', 'a.txt': 'hello', 'a.json': '{"sentences":' })])
  t.strictSame(recordings.map(({ reference, sentences }) => ({ reference, sentences })), [{ reference: { text: 'hello', unit: 'word' }, sentences: undefined }])
  t.strictSame(faults, ['a.wav: its JSON is not used: it is not JSON'])
  t.strictSame(parseFacts('{}'), {})
  for (const [content, message] of [
    ['[]', /not an object/], ['null', /not an object/], ['{"language":5}', /language/], ['{"sentences":{}}', /not a list/], ['{"sentences":[null]}', /sentences\[0\]/],
    ['{"sentences":[{"start":1,"end":0.5,"text":"x"}]}', /sentences\[0\]/], ['{"sentences":[{"start":-1,"end":0.5,"text":"x"}]}', /sentences\[0\]/],
    ['{"sentences":[{"start":0,"end":1,"text":"x"},{"start":"1","end":2,"text":"y"}]}', /sentences\[1\]/]
  ] as const) t.throws(() => parseFacts(content), message, content)
})

t.test('the command line', async (t) => {
  t.strictSame(parseCommandLine(['a', 'b'], '/models'), { folders: ['a', 'b'], quality: 'balanced', modelsDir: '/models', language: 'auto', readme: 'leave' })
  t.match(parseCommandLine(['--synthesise', 'x', '--quality', 'fast', '--language', 'DE', '--against', 'whisper-cli', '--json', 'f', '--readme', '--models', '/m'], '/models'), {
    folders: [], synthesise: 'x', quality: 'fast', language: 'de', against: 'whisper-cli', json: 'f', readme: 'write', modelsDir: '/m'
  })
  t.equal(parseCommandLine(['--help']), 'help')
  for (const [args, message] of [[[], /name a folder/], [['a', '--quality', 'best'], /--quality/], [['a', '--against', 'us'], /--against/], [['a', '--nonsense'], /nonsense/], [['a', '--json'], /json/]] as const) {
    t.throws(() => parseCommandLine(args, '/models'), message)
  }
})

function evaluate (recordings: readonly Recording[], text: string, rest: Partial<Evaluation> = {}): Evaluation {
  const words = [{ text, startMs: 100, endMs: 1900 }]
  const scores = recordings.map((recording) => scoreRecording(recording, { wallMs: 500, transcript: { text, durationMs: 2000, words, language: 'en' } }))
  return { header: { date: 'today', model: 'starter' }, scores, totals: sumScores(scores), memory: { residentBytes: 1e8, peakBytes: 2e8 }, language: 'detected', notes: ['a note'], ...rest }
}

t.test('figures are shown as tables', async (t) => {
  const spoken: Recording = { name: 'a|b.wav', path: '', reference: { text: 'hello', unit: 'word' }, language: 'de', sentences: [{ startMs: 0, endMs: 1800, text: 'hello' }] }
  const silent: Recording = { name: 'noise.wav', path: '', reference: { text: '', unit: 'word' } }
  const evaluation = evaluate([spoken, silent, { name: 'plain.wav', path: '' }], 'Hello!')
  const text = renderEvaluation(evaluation)
  t.match(text, 'date: today · model: starter')
  t.match(text, '| a\\|b.wav | 1 words | 0.0 % | 0/0/0 | en, not de | 0.250 |')
  t.match(text, '| a\\|b.wav | 1 | 1 | 100 | 100 | 100 | +100 | 1 | 100 | 100 | 100 | +100 | 100 (Hello!) | 0 of 1 | 0 |')
  t.match(text, '| noise.wav | 2.0 s | 1 | 1800.0 | 0.250 | Hello! |')
  t.match(text, '| plain.wav | - | - | - | en | 0.250 |')
  t.match(text, '| language detected | 0 of 1 right |')
  t.match(text, '| memory of the server: peak, at the end | 200.0 MB, 100.0 MB |')
  t.notMatch(text, /sclite|whisper-cli/)
  t.notMatch(text, '| noise.wav | 0 words', 'where nothing is said there is no rate')
  t.notMatch(renderSummary(evaluation), 'noise.wav', 'the README lists the recordings with speech')
})

t.test('figures of the second scorer are shown, and that they differ', async (t) => {
  const evaluation = evaluate([{ name: 'a.wav', path: '', reference: { text: 'hello', unit: 'word' } }], 'hello', { scliteVersion: '2.10' })
  const scores = evaluation.scores.map((score) => ({ ...score, sclite: { words: 1, substitutions: 1, deletions: 0, insertions: 0 } }))
  const text = renderEvaluation({ ...evaluation, scores, totals: sumScores(scores) })
  t.match(text, '| a.wav | 1 words | 0.0 % | 0/0/0 | 100.0 % (differs) |')
  t.match(text, '| WER by sclite | 100.0 % (differs) |')
})

t.test('the section of the README is replaced in place', async (t) => {
  const before = `# Title\n\n${README_START}\nold\n${README_END}\n\nrest\n`
  const after = replaceSection(before, '\n| new |\n\n')
  t.equal(after, `# Title\n\n${README_START}\n| new |\n${README_END}\n\nrest\n`)
  t.equal(replaceSection(after, '| new |'), after)
  t.throws(() => replaceSection('# Title\n', 'x'), /has no/)
  t.throws(() => replaceSection(`${README_END} ${README_START}`, 'x'), /has no/)
})
