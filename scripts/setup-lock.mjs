import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Start time of a process in clock ticks: tells a live owner from another process that got its pid. */
function startTicks (pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function isAlive (owner) {
  const [pid, ticks] = owner.split('-')
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  const now = startTicks(pid)
  return now === undefined || ticks === 'x' || now === ticks
}

const namesIn = (folder) => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function removePreparedOfDead (folder) {
  for (const left of namesIn(folder).filter((name) => name.startsWith('setup.lock-'))) {
    const owners = namesIn(join(folder, left))
    if (owners.length > 0 && !owners.some(isAlive)) rmSync(join(folder, left), { recursive: true, force: true })
  }
}

/**
 * Waits until this process is the only set-up in `folder`; released when the process exits. Calls `onWait(pid)` once
 * when another one is at work.
 *
 * The lock is a directory that holds a file named after its owner, prepared aside and renamed into place: rename
 * replaces an empty directory but never one with an owner in it. A stale lock is emptied by the name of its dead owner, so
 * that a live one's lock cannot be removed by accident.
 */
export async function takeLock (folder, onWait) {
  const lock = join(folder, 'setup.lock')
  const owner = `${process.pid}-${startTicks(process.pid) ?? 'x'}`
  mkdirSync(folder, { recursive: true })
  removePreparedOfDead(folder)
  const prepared = mkdtempSync(`${lock}-`)
  writeFileSync(join(prepared, owner), '')
  process.on('exit', () => {
    rmSync(prepared, { recursive: true, force: true })
    rmSync(join(lock, owner), { force: true })
    try { rmdirSync(lock) } catch {}
  })
  for (let told = false; ;) {
    try {
      return renameSync(prepared, lock)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    }
    const owners = namesIn(lock)
    for (const name of owners) if (!isAlive(name)) rmSync(join(lock, name), { force: true })
    const living = owners.find(isAlive)
    if (!living) continue
    if (!told) onWait(Number(living.split('-')[0]))
    told = true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
