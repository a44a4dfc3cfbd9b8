/** A client generated from the document compiles, and drives the appliance. */
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'

const run = promisify(execFile)
const bin = (name: string): string => resolve('node_modules/.bin', name)

t.test('openapi-typescript makes a client that compiles strictly and takes a recording to every export', async (t) => {
  const directory = t.testdir()
  await run(bin('openapi-typescript'), ['src/routes/openapi.json', '-o', `${directory}/stenobox.d.ts`])
  cpSync('test/fixtures/client/drive.ts', `${directory}/drive.ts`)
  symlinkSync(resolve('node_modules'), `${directory}/node_modules`)
  const compilerOptions = { strict: true, target: 'es2023', module: 'nodenext', types: ['node'], outDir: 'dist', rootDir: '.' }
  writeFileSync(`${directory}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['drive.ts', 'stenobox.d.ts'] }))
  writeFileSync(`${directory}/package.json`, JSON.stringify({ type: 'module' }))
  await run(bin('tsc'), ['-p', directory, '--pretty', 'false']).catch((error: { stdout: string }) => { t.fail(error.stdout) })

  const server = await startServer(`${directory}/data`)
  t.teardown(server.stop)
  const { stdout } = await run(process.execPath, [`${directory}/dist/drive.js`, server.address, server.firstKey ?? '', AUDIO + 'en-1.wav'])
  const result = JSON.parse(stdout) as { exports: Record<string, number> }
  t.match(result, { status: 'completed', text: /meeting/, language: 'en' })
  t.same(Object.keys(result.exports), ['txt', 'srt', 'vtt', 'json', 'md', 'docx'])
  t.ok(Object.values(result.exports).every((size) => size > 20))
})
