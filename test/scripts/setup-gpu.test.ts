/** Set-up of GPU libraries for language models, with packages made here instead of the registry's. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { installGpuLibraries, VERSION } from '../../scripts/setup-gpu.mjs'

type Run = (what: string, file: string, args: string[]) => Promise<void>

function build (root: string) {
  const said: string[] = []
  const calls: string[][] = []
  const empty = join(root, '@node-llama-cpp/linux-x64-vulkan')
  mkdirSync(empty, { recursive: true })
  writeFileSync(join(empty, 'package.json'), '{"name":"empty-npm-package","version":"1.0.0"}')
  const run: Run = async (what, file, args) => {
    calls.push([file, ...args])
    const folder = args[args.indexOf('--pack-destination') + 1] ?? ''
    if (what === 'npm pack') writeFileSync(join(folder, 'x.tgz'), 'not the published package')
  }
  const install = async (gpu: string | undefined): Promise<void> => await installGpuLibraries(root, gpu, {
    run, npm: () => ({ file: 'npm', args: [] }), tar: 'tar', say: (line: string) => { said.push(line) }
  })
  return { install, said, calls, empty }
}

t.test('the version is that of the installed library', async (t) => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  t.equal(dependencies['node-llama-cpp'], VERSION)
})

t.test('without a named GPU, nothing is fetched', async (t) => {
  const { install, said, calls } = build(t.testdir())
  for (const gpu of [undefined, 'auto', 'off']) await install(gpu)
  t.strictSame([said, calls], [[], []])
})

t.test('a package with a wrong checksum is not installed, and set-up goes on', {
  skip: process.platform !== 'linux' || process.arch !== 'x64' ? 'there are no such packages for this machine' : false
}, async (t) => {
  const { install, said, calls, empty } = build(t.testdir())
  await install('vulkan')
  t.match(said.at(-1), /could not be installed, so they use the processor[^]*wrong checksum/)
  t.strictSame(calls.map(([file]) => file), ['npm'], 'it is not unpacked')
  t.match(readFileSync(join(empty, 'package.json'), 'utf8'), /empty-npm-package/)
})
