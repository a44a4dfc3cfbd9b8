/** Set-up of programs that only some tests need, with an apt-get that only notes what it is asked. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { installTestTools, startsServices } from '../../scripts/setup-test-tools.mjs'

type Machine = { installed?: string[], refused?: string[], isRoot?: boolean, mayStart?: boolean }

/** A machine with these programs, whose apt-get can install all packages but the refused ones. */
function openMachine (folder: string, { installed = [], refused = [], isRoot = true, mayStart = false }: Machine) {
  const programs = new Set(['apt-get', ...installed])
  const asked: string[] = []
  const said: string[] = []
  return {
    asked,
    said,
    setUp: async (): Promise<void> => await installTestTools(join(folder, 'build', 'failed'), {
      run: async (_what: string, _file: string, args: string[]) => {
        if (!args.includes('install')) return
        const name = args.at(-1) ?? ''
        asked.push(name)
        if (refused.includes(name)) throw new Error(`E: Unable to locate package ${name}`)
        programs.add(name)
      },
      findProgram: (name: string) => programs.has(name) ? `/usr/bin/${name}` : undefined,
      say: (line: string) => { said.push(line) },
      isRoot,
      mayStart
    })
  }
}

t.test('what is missing is installed, and asked for only once', async (t) => {
  const { asked, said, setUp } = openMachine(t.testdir(), { installed: ['google-chrome'] })
  await setUp()
  await setUp()
  t.strictSame(asked, ['prometheus', 'sctk'])
  t.equal(said.length, 1)
})

t.test('what cannot be installed does not fail set-up, and is not tried again at once', async (t) => {
  const { asked, said, setUp } = openMachine(t.testdir(), { refused: ['chromium'] })
  await setUp()
  t.strictSame(asked, ['chromium', 'prometheus', 'sctk'])
  t.match(said.at(-1), /^tests that need chromium are skipped: E: Unable to locate package chromium$/)
  await setUp()
  t.equal(asked.length, 3)
})

t.test('a package that would start a server is left to the person', async (t) => {
  const { asked, said, setUp } = openMachine(t.testdir(), { mayStart: true })
  await setUp()
  t.strictSame(asked, ['chromium', 'sctk'])
  t.match(said.at(-1), /^tests that need prometheus are skipped: .*would start its server/)
})

t.test('without the rights to install, set-up says what is skipped', async (t) => {
  const { asked, said, setUp } = openMachine(t.testdir(), { isRoot: false })
  await setUp()
  t.strictSame(asked, [])
  t.match(said, [/^tests that need chromium, prometheus, sctk are skipped: apt-get installs them$/])
})

t.test('services start unless a policy of the machine forbids it', async (t) => {
  const policy = join(t.testdir(), 'policy-rc.d')
  t.equal(startsServices(policy), true, 'no policy')
  for (const [code, expected] of [[0, true], [101, false]] as const) {
    writeFileSync(policy, `#!/bin/sh\nexit ${code}\n`)
    chmodSync(policy, 0o755)
    t.equal(startsServices(policy), expected)
  }
})
