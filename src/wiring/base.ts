/** The parts that every area of the appliance uses. */
import type { Config } from '../config.js'
import type { Fetcher } from '../engine/http/fetcher.js'
import type { Logger } from '../logger.js'
import type { Audit } from '../service/audit.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { Stores } from '../store/stores.js'

export type Base = {
  config: Config
  stores: Stores
  inTransaction: InTransaction
  /** Does not wait for the disk. */
  inUnsyncedTransaction: InTransaction
  files: Files
  /** All requests to other machines go through it. */
  fetcher: Fetcher
  audit: Audit
  log: Logger
  now: () => number
}
