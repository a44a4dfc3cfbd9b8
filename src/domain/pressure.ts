/** What holds up the work of the machine besides its processors. */

/**
 * How much programs wait, as shares of the last minute between 0 and 1; undefined where the system does not count it.
 * `memory`: the share in which at least one program waited for memory. `disk`: the share in which no program could go on, because all
 * waited for a disk. `kills`: programs that the system has ended because memory ran out, since it started.
 */
export type Pressure = { memory: number | undefined, disk: number | undefined, kills: number | undefined }

export type Bottleneck = 'memory' | 'disk'

/** A machine with enough memory never waits for it; swapping and reading weights again soon take most of the time. */
const MEMORY_SHARE = 0.1
/** Workers that compute keep this at 0, so it rises only when they all wait. */
const DISK_SHARE = 0.2

/** What slows down the work most. Disks are busy when memory is short, so memory goes first. `before`: the previous reading. */
export function findBottleneck (pressure: Pressure, before: Pressure | undefined): Bottleneck | undefined {
  const { memory = 0, disk = 0, kills = 0 } = pressure
  if (memory >= MEMORY_SHARE || kills > (before?.kills ?? kills)) return 'memory'
  return disk >= DISK_SHARE ? 'disk' : undefined
}
