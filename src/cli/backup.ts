/** `stenobox backup` and `stenobox restore`. */
import { Command } from 'commander'
import { resolve } from 'node:path'
import { createBackupTools } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import type { BackupSummary } from '../service/backups.js'

const MIB = 1024 ** 2
const describe = ({ files, sizeBytes }: BackupSummary): string => `${files} recordings and parts, ${(sizeBytes / MIB).toFixed(1)} MiB`

async function backUp (path: string): Promise<void> {
  const summary = await createBackupTools(readConfig()).make(resolve(path))
  console.log(`The backup is complete and verified: ${describe(summary)}; ${summary.copied} copied now`)
}

async function restore (path: string): Promise<void> {
  const config = readConfig()
  const summary = await createBackupTools(config).restore(resolve(path))
  console.log(`Restored into ${config.dataDir}: ${describe(summary)}`)
}

export function backupCommand (): Command {
  return new Command('backup')
    .description('back up the data directory, while the server runs, to a file (.tar, .tar.gz, .tar.zst) or to a directory; ' +
      'the next backup to the same directory copies only what is new')
    .argument('<path>', 'a file, an empty directory, or one with an earlier backup')
    .action(backUp)
}

export function restoreCommand (): Command {
  return new Command('restore')
    .description('restore a backup into an empty data directory, and check every file')
    .argument('<path>', 'the file or the directory of the backup')
    .action(restore)
}
