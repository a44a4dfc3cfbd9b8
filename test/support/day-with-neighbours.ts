/**
 * Work with one source and one receiver allowed, in a network of its own with a neighbour behind a pair of interfaces: a name server, a
 * server of recordings and a receiver, each at its own address. Run by `scripts/air-gap.mjs`, whose sniffer records who is asked.
 * Usage: node test/support/day-with-neighbours.ts
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { createClient } from './client.ts'
import { AUDIO } from './paths.ts'
import { startServer } from './program.ts'

const PROGRAM = new URL('neighbour.ts', import.meta.url).pathname
/** An address of the neighbour; its program has the same one. */
const NAME_SERVER = '10.77.0.53'

const run = (line: string): void => {
  const [program = '', ...args] = line.split(' ')
  execFileSync(program, args)
}

/** Connects a second network, in which the neighbour runs. Resolves with what the receiver was sent, when asked. */
async function connectNeighbour (): Promise<{ received: () => string, end (): void }> {
  const child = spawn('unshare', ['--net', process.execPath, PROGRAM, AUDIO], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
  // It says that it runs in its own network before it waits for its interface.
  await once(child.stdout, 'data')
  run(`ip link add near type veth peer name far netns ${child.pid}`)
  // Nothing that the kernel sends by itself.
  writeFileSync('/proc/sys/net/ipv6/conf/near/disable_ipv6', '1')
  run('ip address add 10.77.0.1/24 dev near')
  run('ip link set near up')
  child.stdin.write('connected\n')
  while (!text.includes('ready')) await once(child.stdout, 'data')
  return { received: () => text, end: () => { child.kill() } }
}

t.test('one source and one receiver', async (t) => {
  const neighbour = await connectNeighbour()
  t.teardown(neighbour.end)
  const resolv = `${t.testdir({ data: {} })}/resolv.conf`
  writeFileSync(resolv, `nameserver ${NAME_SERVER}\n`)
  run(`mount --bind ${resolv} /etc/resolv.conf`)
  t.teardown(() => { run('umount /etc/resolv.conf') })

  const server = await startServer(`${t.testdirName}/data`, {
    STENOBOX_ALLOW_SOURCES: 'files.test', STENOBOX_ALLOW_WEBHOOKS: 'hooks.test'
  })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const reply = await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', {
    sourceUrl: 'http://files.test:8000/en-1.wav', language: 'en', webhookUrl: 'http://hooks.test:9000/hook'
  })
  t.equal(reply.status, 201, reply.body.error)
  t.equal((await client.ended(reply.body.data.jobId)).status, 'completed')
  while (!neighbour.received().includes('received')) await new Promise((resolve) => setTimeout(resolve, 50))
})
