import { join } from 'node:path'
import t from 'tap'
import { parseCommandLine } from '../../dist/evaluate/command-line.js'
import { listRecordings, parseFacts } from '../../dist/evaluate/folder.js'
import { TABLE_END, TABLE_START, renderEvaluation, renderSummary, replaceSection } from '../../dist/evaluate/markdown.js'
import type { Evaluation } from '../../dist/evaluate/markdown.js'
import type { RivalOutcome } from '../../dist/evaluate/rivals.js'
import { scoreRecording, sumScores } from '../../dist/evaluate/score.js'
import type { Score } from '../../dist/evaluate/score.js'
import type { Recording } from '../../dist/evaluate/folder.js'
import type { Effort } from '../../dist/evaluate/passes.js'

t.test('a folder is its recordings with what lies beside them', async (t) => {
  const folder = t.testdir({
    'a.WAV': '', 'a.txt': '\uFEFFHello there. \n',
    'a.json': '{"language":"EN","duration":3,"sentences":[{"start":0.25,"end":1.5,"text":"Hello there.","speaker":"A"}]}',
    'a.mp3': '', 'silent.flac': '', 'silent.txt': '\n', 'b.ogg': '', 'notes.pdf': '',
    '.hidden.wav': '', 'zh.mp4': '', 'zh.txt': '你好', below: { 'c.wav': '' }
  })
  const { recordings, faults, notes } = listRecordings([folder])
  const turn = { startMs: 250, endMs: 1500, speaker: 'A' }
  const sentences = [{ ...turn, text: 'Hello there.' }]
  t.strictSame(recordings.map(({ path, ...rest }) => rest), [
    { name: 'a.WAV', reference: { text: 'Hello there.', unit: 'word' }, language: 'en', sentences, turns: [turn] },
    { name: 'a.mp3', reference: { text: 'Hello there.', unit: 'word' }, language: 'en', sentences, turns: [turn] },
    { name: 'b.ogg' },
    { name: 'silent.flac', reference: { text: '', unit: 'word' } },
    { name: 'zh.mp4', reference: { text: '你好', unit: 'character' } }
  ])
  t.strictSame(faults, [])
  t.match(notes, [/^b.ogg has no reference/, /^notes.pdf is left out/])
  t.equal(recordings[0]?.path, join(folder, 'a.WAV'))
})

t.test('an RTTM beside a recording tells when somebody speaks', async (t) => {
  const line = (start: string, duration: string): string => `SPEAKER a 1 ${start} ${duration} <NA> <NA> somebody <NA> <NA>\n`
  const { recordings, faults, notes } = listRecordings([t.testdir({
    'a.wav': '', 'a.txt': 'x', 'a.rttm': ';; a comment\n' + line('1.5', '0.5') + line('0.250', '1.5'),
    'b.wav': '', 'b.txt': 'x', 'b.rttm': line('1.5', '<NA>')
  })])
  t.strictSame(recordings.map(({ speech }) => speech), [[{ startMs: 250, endMs: 2000 }], undefined])
  t.strictSame(faults, ['b.wav: its RTTM is not used: line 1 has no start and duration'])
  t.strictSame(notes, [])
})

t.test('several folders keep their recordings apart', async (t) => {
  const root = t.testdir({ one: { 'a.wav': '' }, two: { 'a.wav': '' } })
  t.strictSame(listRecordings([join(root, 'one'), join(root, 'two')]).recordings.map(({ name }) => name), ['one/a.wav', 'two/a.wav'])
  t.throws(() => listRecordings([join(root, 'three')]), /there is no folder/)
})

t.test('an invalid JSON file is named, and the recording is scored without it', async (t) => {
  const { recordings, faults } = listRecordings([t.testdir({ 'a.wav': '', 'a.txt': 'hello', 'a.json': '{"sentences":' })])
  t.equal(recordings.length, 1)
  t.match(recordings[0], { reference: { text: 'hello', unit: 'word' }, sentences: undefined })
  t.strictSame(faults, ['a.wav: its JSON is not used: it is not JSON'])
  t.strictSame(parseFacts('{}'), {})
  for (const [content, message] of [
    ['[]', /not an object/], ['null', /not an object/], ['{"language":5}', /language/],
    ['{"sentences":{}}', /not a list/], ['{"sentences":[null]}', /sentences\[0\]/],
    ['{"sentences":[{"start":1,"end":0.5,"text":"x"}]}', /sentences\[0\]/],
    ['{"sentences":[{"start":-1,"end":0.5,"text":"x"}]}', /sentences\[0\]/],
    ['{"sentences":[{"start":0,"end":1,"text":"x"},{"start":"1","end":2,"text":"y"}]}', /sentences\[1\]/]
  ] as const) t.throws(() => parseFacts(content), message, content)
})

const DEFAULTS = { modelsDir: '/models', python: 'python3' }

t.test('the command line', async (t) => {
  const fasterWhisper = { python: 'python3', model: '', modes: ['plain', 'vad', 'batched'], words: 'on' }
  t.strictSame(parseCommandLine(['a', 'b'], DEFAULTS), {
    folders: ['a', 'b'], quality: 'balanced', modelsDir: '/models', language: 'auto',
    joined: 'leave', differences: 'leave', rounds: 0, against: [], fasterWhisper
  })
  const files = ['--synthesise', 'x', '--json', 'f', '--table', 'g', '--models', '/m']
  const line = [...files, '--quality', 'fast', '--language', 'DE', '--joined', '--differences', '--rounds', '3']
  t.match(parseCommandLine([...line, '--against', 'whisper-cli'], DEFAULTS), {
    folders: [], synthesise: 'x', quality: 'fast', language: 'de', against: ['whisper-cli'], json: 'f', table: 'g', modelsDir: '/m',
    joined: 'also', differences: 'list', rounds: 3
  })
  t.equal(parseCommandLine(['--help'], DEFAULTS), 'help')
  for (const [args, message] of [
    [[], /name a folder/], [['a', '--quality', 'best'], /--quality/], [['a', '--nonsense'], /nonsense/], [['a', '--json'], /json/],
    [['a', '--against', 'us'], /--against takes whisper-cli, faster-whisper, not us/],
    [['a', '--rounds', '-1'], /--rounds/], [['a', '--rounds', '1.5'], /--rounds/], [['a', '--rounds', 'x'], /--rounds/],
    [['a', '--faster-whisper-mode', 'plain,fast'], /--faster-whisper-mode .* not fast/],
    [['a', '--faster-whisper-words', 'yes'], /--faster-whisper-words/]
  ] as const) t.throws(() => parseCommandLine(args, DEFAULTS), message, args.join(' '))
})

t.test('rivals are named with commas or one by one, and faster-whisper needs its own form of the model', async (t) => {
  const model = t.testdir({ 'model.bin': '', other: { 'ggml-base.bin': '' } })
  const defaults = { ...DEFAULTS, python: '/opt/python' }
  const named = (...args: string[]) => parseCommandLine(['a', '--faster-whisper-model', model, ...args], defaults)
  const fasterWhisper = { python: '/opt/python', model, modes: ['plain', 'batched'], words: 'off' }
  const both = { against: ['whisper-cli', 'faster-whisper'], fasterWhisper }
  const rest = ['--faster-whisper-mode', 'batched,plain', '--faster-whisper-words', 'off']
  t.match(named('--against', 'faster-whisper,whisper-cli', ...rest), both)
  t.match(named('--against', 'faster-whisper', '--against', 'whisper-cli', ...rest), both)
  t.match(named('--python', './python'), { fasterWhisper: { python: './python' } })
  t.throws(() => parseCommandLine(['a', '--against', 'faster-whisper'], DEFAULTS), /needs --faster-whisper-model DIR/)
  t.throws(() => named('--against', 'faster-whisper', '--faster-whisper-model', join(model, 'other')), /there is no model.bin in/)
})

function evaluate (recordings: readonly Recording[], text: string, rest: Partial<Evaluation> = {}): Evaluation {
  const words = [{ text, startMs: 100, endMs: 1900 }]
  const transcript = { text, durationMs: 2000, words, language: 'en' }
  const scores = recordings.map((recording) => scoreRecording(recording, { wallMs: 500, transcript }))
  return {
    header: { date: 'today', model: 'starter' }, scores, totals: sumScores(scores), memory: { residentBytes: 1e8, peakBytes: 2e8 },
    efforts: [effort('Stenobox', 3)], speed: [], speakers: [], speakerEngine: [], language: 'detected', notes: ['a note'], ...rest
  }
}

function effort (name: string, processorSeconds: number): Effort {
  return { name, seconds: 2, processorSeconds, peakBytes: 3e8, othersShare: 0 }
}

t.test('figures are shown as tables', async (t) => {
  const spoken: Recording = {
    name: 'a|b.wav',
    path: '',
    reference: { text: 'hello', unit: 'word' },
    language: 'de',
    sentences: [{ startMs: 0, endMs: 1800, text: 'hello' }]
  }
  const silent: Recording = { name: 'noise.wav', path: '', reference: { text: '', unit: 'word' } }
  const evaluation = evaluate([spoken, silent, { name: 'plain.wav', path: '' }], 'Hello!')
  const text = renderEvaluation(evaluation)
  t.match(text, 'date: today · model: starter')
  t.match(text, '| a\\|b.wav | 1 words | 0.0 % | 0/0/0 | en, not de | 0.250 |')
  t.match(text, '| a\\|b.wav | 1 | 1 | 100 | 100 | 100 | +100 | 1 | 100 | 100 | 100 | +100 | 100 (Hello!) | 0 of 1 | 0 |')
  t.match(text, '| noise.wav | 2.0 s | 1 | 1800.0 | 0.250 | Hello! |')
  t.match(text, '| plain.wav | - | 1 heard | - | en | 0.250 |')
  t.match(text, '| language detected | 0 of 1 right |')
  t.match(text, '| processor time | 3.00 s |\n| memory at the peak (and at the end) | 200.0 MB (100.0 MB) |')
  t.notMatch(text, /sclite|whisper-cli|reached the decoder|joined|Speed|said →/)
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

t.test('each rival has its columns, and a missing result shows no figure', async (t) => {
  const recording = (name: string, text?: string): Recording =>
    ({ name, path: '', ...(text !== undefined && { reference: { text, unit: 'word' } }) })
  const transcript = { text: 'hello you', durationMs: 2000, words: [{ text: 'hello', startMs: 0, endMs: 100 }], language: 'en' }
  const ours = { wallMs: 500, transcript }
  const theirs = (text: string, vad: RivalOutcome) => ({ 'whisper-cli': { wallMs: 1000, text }, 'faster-whisper vad': vad })
  const scores = [
    scoreRecording(recording('a.wav', 'hello you'), ours, theirs('hello', { failure: 'failed' })),
    scoreRecording(recording('b.wav'), ours, theirs('hello', { wallMs: 200, text: 'hi' })),
    scoreRecording(recording('noise.wav', ''), ours, theirs('Thank you.', { wallMs: 200, text: '' }))
  ]
  const efforts = [effort('Stenobox', 1), effort('whisper-cli', 4), effort('faster-whisper vad', 2)]
  const joined = { score: scores[0] as Score, efforts }
  const text = renderEvaluation(evaluate([], '', { scores, totals: sumScores(scores), efforts, joined }))
  t.match(text, '| file | counted | WER/CER | S/D/I | language | RTF | whisper-cli | its RTF | faster-whisper vad | its RTF |')
  t.match(text, '| a.wav | 2 words | 0.0 % | 0/0/0 | en | 0.250 | 50.0 % | 0.500 | failed | - |')
  t.match(text, '| b.wav | - | 2 heard | - | en | 0.250 | 1 heard | 0.500 | 1 heard | 0.100 |')
  t.match(text, '| noise.wav | 2.0 s | 1 | 1800.0 | 0.250 | hello you | 2 | 0 |')
  t.match(text, '| WER over 2 words | 0.0 % (S/D/I 0/0/0) | 50.0 % (S/D/I 0/1/0) |')
  t.match(text, '| RTF, one recording at a time | 0.250 | 0.500 | 0.100 |', 'over what each has transcribed')
  t.match(text, '| processor time | 1.00 s | 4.00 s | 2.00 s |')
  t.match(text, '| memory at the peak (and at the end) | 200.0 MB (100.0 MB) | 300.0 MB | 300.0 MB |')
  t.match(text, '## a.wav, 2.0 s, 2 words\n')
  t.match(text, '| Stenobox | 0 | 0/0/0 | 0.0 % | 2.00 s | 1.00 s | 300.0 MB | 1.000 |')
  t.match(text, '| whisper-cli | 1 | 0/1/0 | 50.0 % | 2.00 s | 4.00 s | 300.0 MB | 1.000 |')
  t.match(text, '| faster-whisper vad | failed: failed | - | - | 2.00 s |')
})

t.test('speed is shown as medians and ratios, removed speech as seconds and share', async (t) => {
  const timed = (seconds: number, processorSeconds: number, peakBytes: number) =>
    ({ seconds, processorSeconds, peakBytes, othersShare: 0.5 })
  const speed = [{
    work: '2 recordings at once', ways: ['Stenobox', 'whisper-cli'],
    rounds: [[timed(2, 4, 1e8), timed(9, 9, 3e8)], [timed(3, 5, 1e8), timed(6, 12, 2e8)], [timed(1, 3, 1e8), timed(5, 8, 2e8)]]
  }]
  const [one, two] = ['a.wav', 'b.wav'].map(
    (name): Score => ({ name, rivals: {}, text: 'one two', kept: { speechMs: 4000 } })
  ) as [Score, Score]
  const known: Score = { ...one, kept: { speechMs: 4000, removedMs: 1000, longest: { startMs: 2500, endMs: 3250 } } }
  const show = (scores: Score[]): string => renderEvaluation(evaluate([], '', { scores, totals: sumScores(scores), speed }))
  const text = show([known, two])
  t.match(text, '| 2 recordings at once | Stenobox | 2.00 s | 4.00 s | 100.0 MB |')
  t.match(text, '| 2 recordings at once | whisper-cli | 6.00 s (3.00) | 9.00 s (2.25) | 200.0 MB (2.00) |')
  t.match(text, '| 2 | 3.00 s (50.0 %) | 6.00 s (50.0 %) |')
  t.match(text, '| a.wav | 4.00 s | 1.00 s | 25.0 % | 0.75 s at 2.50 s | 2 |')
  t.match(text, '| b.wav | 4.00 s | unknown | unknown |  | 2 |')
  t.match(text, '| all | 8.00 s | unknown | unknown |  | 4 |', 'one that is not known leaves the sum unknown')
  t.match(show([known, known]), '| speech that never reached the decoder | 2.00 s, 25.0 % |')
})

t.test('the section of the README is replaced in place', async (t) => {
  const before = `# Title\n\n${TABLE_START}\nold\n${TABLE_END}\n\nrest\n`
  const after = replaceSection(before, '\n| new |\n\n')
  t.equal(after, `# Title\n\n${TABLE_START}\n| new |\n${TABLE_END}\n\nrest\n`)
  t.equal(replaceSection(after, '| new |'), after)
  t.throws(() => replaceSection('# Title\n', 'x'), /has no/)
  t.throws(() => replaceSection(`${TABLE_END} ${TABLE_START}`, 'x'), /has no/)
})
