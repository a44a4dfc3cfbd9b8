/**
 * The hostile owner, a separate program: `node hostile-owner.ts ATTACK`, with what it needs in the environment. It attacks until it is
 * killed, and never stops for errors.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS } from './attacks.ts'
import { openEnemy } from './enemy.ts'

const { BENCH_URL: url = '', BENCH_KEY: key = '', BENCH_SCRATCH: scratch = '', BENCH_HOUR: hour } = process.env
const attack = ATTACKS.find(({ name }) => name === process.argv[2])
if (!attack) throw new Error(`there is no attack called ${process.argv[2]}`)
const enemy = await openEnemy({ url, key, scratch, hourId: Number(hour) })
process.on('uncaughtException', () => {})
for (;;) {
  await attack.run(enemy).catch(() => {})
  await sleep(10)
}
