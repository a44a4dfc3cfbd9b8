import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LIST = join(dirname(fileURLToPath(import.meta.url)), 'yt-dlp.txt')
/** A start does not try again so soon after a failure: without a network it would wait every time. */
const PAUSE_MS = 60 * 60_000

const readText = (file) => existsSync(file) ? readFileSync(file, 'utf8') : undefined
const isRecent = (file) => existsSync(file) && Date.now() - statSync(file).mtimeMs < PAUSE_MS

/** A Python with pip; installed with apt-get where that may be done. */
async function findPython ({ run, findProgram }) {
  const works = async () => {
    const python = findProgram('python3')
    return python && await run('pip', python, ['-m', 'pip', '--version']).then(() => python, () => undefined)
  }
  const found = await works()
  const apt = findProgram('apt-get')
  if (found || !apt || process.getuid() !== 0) return found
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get update', apt, ['update', '-qq'], { env }).catch(() => {})
  await run('apt-get install', apt, [
    '-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', 'python3', 'python3-pip'
  ], { env })
  return await works()
}

/**
 * Installs the yt-dlp of `yt-dlp.txt`, checked by its digests, in `folder`/yt-dlp. Only pages of video platforms, HLS and DASH need
 * it, so a failure is reported and set-up continues. `run`, `findProgram` and `say` are those of set-up.
 */
export async function installYtDlp (folder, { run, findProgram, say }) {
  const target = join(folder, 'yt-dlp')
  const [stamp, failed, next] = [join(target, '.stenobox-yt-dlp'), `${target}.failed`, `${target}.new`]
  const hash = createHash('sha256').update(readFileSync(LIST)).digest('hex')
  if (readText(stamp) === hash) return
  if (process.env.npm_lifecycle_event !== 'build' && readText(failed) === hash && isRecent(failed)) return
  rmSync(next, { recursive: true, force: true })
  try {
    const python = await findPython({ run, findProgram })
    if (!python) throw new Error('Python 3.10 or newer with pip was not found.')
    say('installing yt-dlp, a few seconds')
    await run('pip', python, [
      '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1', '--timeout', '15',
      '--no-deps', '--only-binary', ':all:', '--require-hashes', '--target', next, '-r', LIST
    ], { lines: 4 })
    writeFileSync(join(next, '.stenobox-yt-dlp'), hash)
    rmSync(target, { recursive: true, force: true })
    renameSync(next, target)
    rmSync(failed, { force: true })
  } catch (error) {
    rmSync(next, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(failed, hash)
    say('yt-dlp could not be installed, so pages of video platforms, HLS and DASH cannot be fetched; everything else works. ' +
      `To try again: npm run build\n${error.message}`)
  }
}
