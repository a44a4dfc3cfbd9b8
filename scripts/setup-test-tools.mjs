import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Debian's packages with programs that some tests use, any one of `programs`. `hasService`: installing it starts a server. */
const TOOLS = [
  { package: 'chromium', programs: ['chromium', 'chromium-browser', 'google-chrome'] },
  { package: 'prometheus', programs: ['prometheus'], hasService: true },
  { package: 'sctk', programs: ['sctk'] }
]
/** After a failure, no new try for this long: without a network every run of the tests would wait for it. */
const PAUSE_MS = 60 * 60_000
/** What Debian's policy-rc.d answers where packages must not start services. */
const FORBIDDEN = 101

/** True where a machine lets packages start their services; images of containers have a policy that forbids it. */
export const startsServices = (policy = '/usr/sbin/policy-rc.d') => spawnSync(policy, ['prometheus', 'start']).status !== FORBIDDEN

const isRecent = (file, text) => existsSync(file) && readFileSync(file, 'utf8') === text && Date.now() - statSync(file).mtimeMs < PAUSE_MS

const listMissing = (findProgram) => TOOLS.filter(({ programs }) => !programs.some((program) => findProgram(program)))

/**
 * Installs programs without which tests are skipped, where this is root and there is apt. Without them set-up says which tests are
 * skipped and continues. `run`, `findProgram` and `say`: those of set-up. `failed`: the file in which a failure is remembered.
 */
export async function installTestTools (failed, { run, findProgram, say, isRoot = process.getuid() === 0, mayStart = startsServices() }) {
  const missing = listMissing(findProgram)
  const attempt = missing.map((tool) => tool.package).join(' ')
  if (missing.length === 0 || isRecent(failed, attempt)) return
  const apt = findProgram('apt-get')
  const wanted = missing.filter(({ hasService }) => !hasService || !mayStart).map((tool) => tool.package)
  let fault = 'apt-get installs them'
  if (apt && isRoot && wanted.length > 0) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    say(`installing ${wanted.join(', ')} for the tests, a minute or two`)
    await run('apt-get update', apt, ['update', '-qq'], { env }).catch(() => {})
    const options = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends']
    // One after another: where one cannot be had, the others still can.
    for (const name of wanted) {
      await run(`apt-get install ${name}`, apt, [...options, name], { env, lines: 4 }).catch((error) => { fault = error.message })
    }
  }
  const still = listMissing(findProgram)
  if (still.length === 0) return rmSync(failed, { force: true })
  mkdirSync(dirname(failed), { recursive: true })
  writeFileSync(failed, still.map((tool) => tool.package).join(' '))
  const services = still.filter(({ hasService }) => hasService && mayStart).map((tool) => tool.package)
  say(`tests that need ${still.map((tool) => tool.package).join(', ')} are skipped: ${fault}` +
    services.map((name) => `; set-up does not install ${name}, because that would start its server on this machine`).join(''))
}
