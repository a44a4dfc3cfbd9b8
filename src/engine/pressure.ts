/** Reads how much the machine waits for memory and disks, from Linux (Documentation/accounting/psi.rst and cgroup-v2.rst). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pressure } from '../domain/pressure.js'

/** Empty where the kernel is built without it or an administrator has switched it off. */
const read = async (path: string): Promise<string> => await readFile(path, 'utf8').catch(() => '')

/** The share of the last minute in which programs waited; `some`: at least one, `full`: all. */
function readShare (text: string, kind: 'some' | 'full'): number | undefined {
  const percent = new RegExp(`^${kind} .*\\bavg60=([\\d.]+)`, 'm').exec(text)?.[1]
  return percent === undefined ? undefined : Number(percent) / 100
}

const greatest = (shares: ReadonlyArray<number | undefined>): number | undefined =>
  shares.reduce((most, share) => most === undefined || (share ?? 0) > most ? share : most, undefined)

/** Of the machine and of our container, which may have less memory: the greater one. `root`: another root of the file system, for tests. */
export async function readPressure (root = '/'): Promise<Pressure> {
  const readBoth = async (name: string, kind: 'some' | 'full'): Promise<number | undefined> => {
    const paths = [`proc/pressure/${name}`, `sys/fs/cgroup/${name}.pressure`]
    return greatest(await Promise.all(paths.map(async (path) => readShare(await read(join(root, path)), kind))))
  }
  const kills = /^oom_kill (\d+)$/m.exec(await read(join(root, 'proc/vmstat')))?.[1]
  return {
    memory: await readBoth('memory', 'some'),
    disk: await readBoth('io', 'full'),
    kills: kills === undefined ? undefined : Number(kills)
  }
}
