/** A call with one person on each channel, and its speakers, all on the command line. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { AUDIO } from '../support/paths.ts'
import { runCommand } from '../support/program.ts'

type Exported = { segments: Array<{ channel?: number, speaker?: string, text: string }> }

/** The second voice begins on the right channel when the first one has ended on the left. */
function makeCall (path: string): string {
  const filter = '[0:a]apad=pad_dur=9[a];[1:a]adelay=6500[b];[a][b]join=inputs=2:channel_layout=stereo'
  execFileSync('ffmpeg', ['-v', 'error', '-i', AUDIO + 'en-1.wav', '-i', AUDIO + 'en-3.mp3', '-filter_complex', filter, path])
  return path
}
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? []

t.test('a call is transcribed by channel; its speakers are listed, named, merged and identified again', async (t) => {
  const dataDir = t.testdir()
  const run = async (...args: string[]) => await runCommand(dataDir, args)
  const call = makeCall(`${dataDir}/call.wav`)
  const { code, stdout } = await run('transcribe', call, '--format', 'json', '--language', 'en')
  t.equal(code, 0)
  const { segments } = JSON.parse(stdout) as Exported
  const said = (channel: number): string => segments.filter((one) => one.channel === channel).map(({ text }) => text).join('')
  for (const [channel, name] of [[1, 'en-1'], [2, 'en-3']] as const) {
    const expected = wordsOf(readFileSync(`${AUDIO}${name}.txt`, 'utf8'))
    const found = new Set(wordsOf(said(channel)))
    t.ok(expected.filter((word) => found.has(word)).length > 0.8 * expected.length, said(channel))
  }
  const pairs = [...new Set(segments.map(({ channel, speaker }) => `${channel}: ${speaker}`))].sort()
  t.match(pairs, [/^1: Speaker [12]$/, /^2: Speaker [12]$/], 'each channel is one speaker')
  t.equal(pairs.length, 2)

  const speakers = async (...args: string[]) => await run('speakers', ...args)
  t.match(await speakers('list', '1'), { code: 0, stdout: /^Speaker 1\t00:00:0\d\nSpeaker 2\t00:00:0\d\n$/ })
  t.match(await speakers('name', '1', 'Speaker 2', 'Ada\u200b'), { code: 0, stdout: /\nSpeaker 2\t[\d:]+\tAda\n$/ })
  t.match(await speakers('identify', '1', '--speakers', '2'), { code: 0, stdout: /\nSpeaker 2\t[\d:]+\tAda\n$/ }, 'names are kept')
  t.match(await speakers('merge', '1', 'Speaker 2', 'Speaker 1'), { code: 0, stdout: /^Speaker 1\t[\d:]+\tAda\n$/ })
  t.match(await speakers('merge', '1', 'Speaker 9', 'Speaker 1'), { code: 1, stderr: /no speaker with this label/ })
  t.match(await speakers('identify', '1', '--speakers', 'many'), { code: 1, stderr: /a range such as 2-4/ })
  t.match(await speakers('list', '2'), { code: 1, stderr: /no such transcription/ })
})
