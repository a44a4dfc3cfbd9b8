import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readPressure } from '../../dist/engine/pressure.js'

/** The format of the kernel. */
const stalls = (some: string, full: string): string =>
  `some avg10=99.00 avg60=${some} avg300=98.00 total=1\nfull avg10=97.00 avg60=${full} avg300=96.00 total=1\n`

const createRoot = (dir: string, files: Record<string, string>): string => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

t.test('the last minute of memory and disk, and programs that were ended', async (t) => {
  const root = createRoot(t.testdir({}), {
    'proc/pressure/memory': stalls('12.50', '1.00'), 'proc/pressure/io': stalls('50.00', '30.25'), 'proc/vmstat': 'pgfault 9\noom_kill 3\n'
  })
  t.strictSame(await readPressure(root), { memory: 0.125, disk: 0.3025, kills: 3 })
})

t.test('a container that waits more than the machine counts', async (t) => {
  const root = createRoot(t.testdir({}), {
    'proc/pressure/memory': stalls('0.00', '0.00'), 'sys/fs/cgroup/memory.pressure': stalls('40.00', '20.00'),
    'proc/pressure/io': stalls('9.00', '6.00'), 'sys/fs/cgroup/io.pressure': stalls('5.00', '5.00')
  })
  t.strictSame(await readPressure(root), { memory: 0.4, disk: 0.06, kills: undefined })
})

t.test('a kernel that does not count', async (t) => {
  t.strictSame(await readPressure(t.testdir({})), { memory: undefined, disk: undefined, kills: undefined })
})

t.test('this machine', async (t) => {
  const { memory = 0, disk = 0, kills = 0 } = await readPressure()
  t.ok(memory >= 0 && memory <= 1)
  t.ok(disk >= 0 && disk <= 1)
  t.ok(Number.isInteger(kills))
})
