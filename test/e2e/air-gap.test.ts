/** Nothing leaves the machine: work with the real program, in networks of its own in which every packet is recorded. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'

type Report = { code: number, sent: Record<string, { bytes: number, packets: number }>, packets: string[] }

/** Runs a command under `scripts/air-gap.mjs`. */
function runApart (t: Test, routes: 'none' | 'trap', ...command: string[]): { code: number | null, report: Report } {
  const file = `${t.testdir()}/report.json`
  const { status, stdout, stderr } = spawnSync(
    process.execPath, ['scripts/air-gap.mjs', '--routes', routes, '--report', file, ...command], { encoding: 'utf8' }
  )
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  if (report.code !== 0) t.comment(stdout + stderr)
  return { code: status, report }
}

const tried = spawnSync(process.execPath, ['scripts/air-gap.mjs', 'true'], { encoding: 'utf8' })
const needsNetworks = { skip: tried.status === 4 ? tried.stderr.trim() : false }

t.test('a day of work sends nothing', needsNetworks, async (t) => {
  const { code, report } = runApart(t, 'trap', process.execPath, 'test/support/day-of-work.ts')
  t.equal(report.code, 0, 'the work succeeds')
  t.strictSame(report.packets, [], 'no packet, no lookup of a name')
  const { lo, ...others } = report.sent
  t.ok((lo?.bytes ?? 0) > 100_000, 'the work itself went over the loopback interface')
  t.strictSame(others, { trap: { bytes: 0, packets: 0 }, 'trap-end': { bytes: 0, packets: 0 } })
  t.equal(code, 0)
})

t.test('a single lookup of a name is seen and named', needsNetworks, async (t) => {
  const lookUp = 'import("node:dns").then(({ Resolver }) => {' +
    ' const asker = new Resolver({ timeout: 100, tries: 1 }); asker.setServers(["192.0.2.9"]); asker.resolve4("leak.example", () => {}) })'
  const { code, report } = runApart(t, 'trap', process.execPath, '-e', lookUp)
  t.equal(code, 3)
  t.match(report.packets, ['trap udp 192.0.2.2 -> 192.0.2.9 port 53 name leak.example'])
})

t.test('with a source and a receiver allowed, only they are asked, and the name server for their names', needsNetworks, async (t) => {
  const { report } = runApart(t, 'none', process.execPath, 'test/support/day-with-neighbours.ts')
  t.equal(report.code, 0, 'the work succeeds')
  const asked = new Set(report.packets.filter((line) => !line.endsWith(' arp')).map((line) => line.split(' -> ')[1]))
  t.strictSame([...asked].sort(), [
    '10.77.0.10 port 8000', '10.77.0.20 port 9000', '10.77.0.53 port 53 name files.test', '10.77.0.53 port 53 name hooks.test'
  ])
})
