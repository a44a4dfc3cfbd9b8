/** Memory and disks of this machine. */
import { totalmem } from 'node:os'
import { availableMemory, constrainedMemory } from 'node:process'
import { diskSpace } from '../disk/files.js'
import type { DiskSpace } from '../disk/files.js'

/** In bytes. `totalBytes`: of the container where it has a limit. `processBytes`: of this process, without the inference process. */
export type Memory = { totalBytes: number, availableBytes: number, processBytes: number }

export function readMemory (): Memory {
  // 0 or a number beyond all memory: no limit.
  const limit = constrainedMemory() || Infinity
  return { totalBytes: Math.min(totalmem(), limit), availableBytes: availableMemory(), processBytes: process.memoryUsage.rss() }
}

/** The disk of a directory; undefined when the directory does not exist. */
export const readDisk = async (directory: string): Promise<DiskSpace | undefined> => await diskSpace(directory).catch(() => undefined)
