/** Every fixture transcribed by the program, and every export of it read by other programs. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import mammoth from 'mammoth'
import t from 'tap'
import { bare, findCaptionFaults, findTooFast } from '../support/captions.ts'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { readWithFfmpeg, readWithSubtitle, readWithW3c } from '../support/subtitle-readers.ts'

const RECORDINGS = readdirSync(AUDIO).filter((name) => !/\.(txt|json)$/.test(name))

t.test('all fixtures: no caption breaks a rule, every reader finds the same, no word is lost', async (t) => {
  const server = await startServer(t.testdir())
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  let captions = 0
  await Promise.all(RECORDINGS.map(async (name) => {
    const id = await client.uploadFile(AUDIO + name)
    const { status, transcriptText = '' } = await client.ended(id)
    t.equal(status, 'completed', name)
    const fetchExport = async (format: string): Promise<Buffer> => {
      const reply = await fetch(
        `${format === 'docx' ? server.origin : server.address}/api/v1/transcriptions/${id}/export?format=${format}`,
        { headers: { authorization: `Bearer ${server.firstKey}` } }
      )
      return Buffer.from(await reply.arrayBuffer())
    }
    const [srt = '', vtt = ''] = await Promise.all(['srt', 'vtt'].map(async (format) => (await fetchExport(format)).toString()))
    const { cues, errors } = readWithW3c(vtt)
    t.strictSame(errors, [], `${name}: the validator of the W3C has nothing to say`)
    t.strictSame(readWithSubtitle(srt), cues, `${name}: subtitle`)
    if (cues.length > 0) t.strictSame([readWithFfmpeg(srt, 'srt'), readWithFfmpeg(vtt, 'webvtt')], [cues, cues], `${name}: ffmpeg`)
    const read = cues.map(({ text, ...times }) => ({ ...times, lines: text.split('\n') }))
    t.strictSame([findCaptionFaults(read), findTooFast(read)], [[], []], `${name}: ${read.length} captions`)
    t.equal(bare(read.flatMap(({ lines }) => lines).join('')), bare(transcriptText), `${name}: subtitles`)
    captions += read.length
    const { value: words } = await mammoth.extractRawText({ buffer: await fetchExport('docx') })
    const inDocx = words
      .split('\n')
      .filter(
        (line) =>
          line !== '' && !/^(Transcript|(Duration|Language|Note): .*|\d\d:\d\d:\d\d|Nothing was said\.)$/.test(line) && line !== name
      )
    t.same(inDocx, (await fetchExport('txt')).toString().trim().split('\n\n').filter(Boolean), `${name}: docx`)
    t.equal(
      bare(
        (await fetchExport('md'))
          .toString()
          .replace(/^[#-] .*$/gm, '')
          .replace(/\*\*\[[\d:]+\](?: Speaker \d+:)?\*\*/g, '')
          .replaceAll('\\', '')
      ),
      bare(transcriptText),
      `${name}: md`
    )
  }))
  t.ok(captions > 100, `${captions} captions`)
})

t.test('the command line writes every format, binary ones to a file or a pipe', async (t) => {
  const dataDir = t.testdir()
  const file = dataDir + '/out.docx'
  const written = await runCommand(dataDir, ['transcribe', AUDIO + 'en-3.mp3', '--format', 'docx', '-o', file])
  t.match(written, { code: 0, stdout: '' }, written.stderr)
  t.match((await mammoth.extractRawText({ buffer: readFileSync(file) })).value, /office/)
  t.match(await runCommand(dataDir, ['transcribe', AUDIO + 'en-3.mp3', '--format', 'docx']), { code: 0, stdout: /^PK/ })
  t.match(await runCommand(dataDir, ['transcribe', AUDIO + 'en-3.mp3', '--format', 'vtt']), { code: 0, stdout: /^WEBVTT\n\n00:00:0/ })
  t.match(await runCommand(dataDir, ['transcribe', AUDIO + 'en-3.mp3', '--format', 'exe', '-o', dataDir + '/none']), {
    code: 1,
    stderr: /txt, srt, vtt, json, md, docx/
  })
  t.notOk(existsSync(dataDir + '/none'))
})
