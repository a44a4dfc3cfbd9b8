/** Resident memory of a process and of everything it has started. */
import { readFileSync, readdirSync } from 'node:fs'

const LOOK_EVERY_MS = 200
const PAGE_BYTES = 4096

type Process = { pid: number, parent: number, residentBytes: number }

function listProcesses (): Process[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ').map(Number)
      return [{ pid: Number(pid), parent: fields[1] ?? 0, residentBytes: (fields[21] ?? 0) * PAGE_BYTES }]
    } catch {
      return [] // it has just ended
    }
  })
}

/** Bytes of the process, and of it with all its descendants. */
function readTree (root: number): { ownBytes: number, treeBytes: number } {
  const all = listProcesses()
  const members = new Set([root])
  for (let known = 0; known < members.size;) {
    known = members.size
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid)
  }
  const bytesOf = (chosen: readonly Process[]): number => chosen.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
  return { ownBytes: bytesOf(all.filter(({ pid }) => pid === root)), treeBytes: bytesOf(all.filter(({ pid }) => members.has(pid))) }
}

/** Looks at a process and its descendants several times a second. The result stops that and gives the peaks, in bytes. */
export function watchTree (root: number): () => { ownBytes: number, treeBytes: number } {
  const peak = { ownBytes: 0, treeBytes: 0 }
  const look = (): void => {
    const { ownBytes, treeBytes } = readTree(root)
    peak.ownBytes = Math.max(peak.ownBytes, ownBytes)
    peak.treeBytes = Math.max(peak.treeBytes, treeBytes)
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  look()
  return () => {
    clearInterval(timer)
    return peak
  }
}
