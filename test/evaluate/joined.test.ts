import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSamples } from '../../dist/evaluate/machine/ffmpeg.js'
import { listRecordings } from '../../dist/evaluate/folder.js'
import { joinRecordings } from '../../dist/evaluate/joined.js'
import { AUDIO } from '../support/paths.ts'

const NAMES = { 'broken.txt': 'never read', 'broken.wav': 'RIFF, and then nothing of the kind' }

t.test('recordings with a reference become one, in order, without a pause', async (t) => {
  const root = t.testdir({ folder: { ...NAMES, 'en-1.json': '{"language":"en"}', 'en-2.json': '{"language":"en"}' }, scratch: {} })
  const [folder, scratch] = [join(root, 'folder'), join(root, 'scratch')]
  for (const file of ['en-1.wav', 'en-1.txt', 'en-2.flac', 'en-2.txt', 'en-3.mp3']) copyFileSync(AUDIO + file, join(folder, file))
  const lines: string[] = []
  const joined = await joinRecordings(listRecordings([folder]).recordings, { scratch, log: (line) => lines.push(line) })
  t.strictSame(joined?.parts.map(({ name }) => name), ['en-1.wav', 'en-2.flac'], 'one cannot be read, one has no reference')
  t.match(lines, [/^broken\.wav is not in the joined recording: /])
  t.match(joined?.recording, {
    name: '2 recordings joined', language: 'en', reference: { text: /^The meeting starts.*questions\.\n/, unit: 'word' }
  })
  const read = (file: string): Promise<Int16Array> => readSamples(file, join(scratch, 'test.raw'))
  const [one, two] = [await read(join(folder, 'en-1.wav')), await read(join(folder, 'en-2.flac'))]
  const both = await read(joined?.recording.path ?? '')
  t.equal(both.length, one.length + two.length)
  t.ok(both.every((sample, index) => sample === (index < one.length ? one[index] : two[index - one.length])))
})

t.test('a single recording is not joined; units and languages must agree', async (t) => {
  const root = t.testdir({ folder: {}, scratch: {} })
  const path = AUDIO + 'en-1.wav'
  const place = { scratch: join(root, 'scratch'), log: () => {} }
  const english = { name: 'a', path, language: 'en', reference: { text: 'one', unit: 'word' } } as const
  const chinese = { name: 'b', path, language: 'zh', reference: { text: '你好', unit: 'character' } } as const
  t.equal(await joinRecordings([english], place), undefined)
  const mixed = await joinRecordings([english, chinese], place)
  t.match(mixed?.recording, { reference: { text: 'one\n你好', unit: 'word' }, language: undefined })
  t.match((await joinRecordings([chinese, chinese], place))?.recording, { reference: { unit: 'character' }, language: 'zh' })
})
