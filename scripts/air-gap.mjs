#!/usr/bin/env node
/**
 * Runs a command in a network namespace and reports the packets it sent, to prove that nothing leaves the machine. See docs/air-gap.md.
 *
 *   node scripts/air-gap.mjs [--routes none|trap] [--report FILE] COMMAND…
 *
 * none: only the loopback interface exists. trap: every address outside has a route, and every packet that takes it is counted and
 * recorded, so that even an attempt shows. Exit code: that of the command; 3 if a packet left the loopback interface; 4 if this machine
 * does not allow such a network. Needs root, or a kernel that allows user namespaces; unshare, ip and python3.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const SELF = fileURLToPath(import.meta.url)
const SNIFFER = join(dirname(SELF), 'air-gap-sniffer.py')
/** Two outside addresses from the documentation ranges. Packets to them prove that the sniffer works. */
const CANARIES = [['udp4', '192.0.2.53'], ['udp6', '2001:db8::53']]
const LEAKED = 3
const NOT_POSSIBLE = 4

function parse (args) {
  const options = { routes: 'trap', report: undefined, inside: false }
  let at = 0
  for (; args[at]?.startsWith('--'); at++) {
    if (args[at] === '--inside') options.inside = true
    else if (args[at] === '--routes' && ['none', 'trap'].includes(args[at + 1])) options.routes = args[++at]
    else if (args[at] === '--report' && args[at + 1]) options.report = args[++at]
    else throw new Error(`unknown option ${args[at]}`)
  }
  if (at === args.length) throw new Error('Usage: node scripts/air-gap.mjs [--routes none|trap] [--report FILE] COMMAND…')
  return { ...options, command: args.slice(at) }
}

// ---------------------------------------------------------------- the network

const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
const setting = (path, value) => { writeFileSync(`/proc/sys/net/${path}`, String(value)) }

/** Routes all outside addresses into a pair of interfaces that leads nowhere. The kernel itself sends nothing there. */
function setTrap () {
  ip('link', 'add', 'trap', 'type', 'veth', 'peer', 'name', 'trap-end')
  for (const name of ['trap', 'trap-end']) {
    // No neighbour discovery and no multicast reports, so that all counted packets come from the command.
    for (const [key, value] of [['addr_gen_mode', 1], ['accept_ra', 0], ['router_solicitations', 0], ['dad_transmits', 0]]) {
      setting(`ipv6/conf/${name}/${key}`, value)
    }
    ip('link', 'set', name, 'arp', 'off', 'multicast', 'off', 'up')
  }
  ip('address', 'add', '192.0.2.2/32', 'dev', 'lo')
  ip('-6', 'address', 'add', '2001:db8::2/128', 'dev', 'lo', 'nodad')
  ip('route', 'add', 'default', 'dev', 'trap', 'src', '192.0.2.2')
  ip('-6', 'route', 'add', 'default', 'dev', 'trap', 'src', '2001:db8::2')
}

/** Bytes and packets that each interface has sent. */
function countSent () {
  const lines = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').slice(2)
  return Object.fromEntries(lines.map((line) => {
    const [name, numbers] = line.split(':')
    const fields = numbers.trim().split(/\s+/).map(Number)
    return [name.trim(), { bytes: fields[8], packets: fields[9] }]
  }))
}

function subtract (after, before) {
  return Object.fromEntries(Object.entries(after).map(([name, { bytes, packets }]) =>
    [name, { bytes: bytes - (before[name]?.bytes ?? 0), packets: packets - (before[name]?.packets ?? 0) }]))
}

// ---------------------------------------------------------------- the sniffer

/** Records every packet on every interface but loopback, one line each; `stop` returns them. */
async function startSniffer () {
  const child = spawn('python3', ['-I', SNIFFER], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => { text += chunk })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'close').then(() => { throw new Error('the sniffer did not start') })
  ])
  return {
    lines: () => text.split('\n').slice(1, -1),
    async stop () {
      child.stdin.end()
      await once(child, 'close')
      return this.lines()
    }
  }
}

/** Sends one packet to each canary, and throws an Error unless the sniffer sees it. */
async function proveSight (sniffer) {
  for (const [family, address] of CANARIES) {
    const socket = createSocket(family)
    await new Promise((resolve, reject) => socket.send('canary', 9, address, (error) => error ? reject(error) : resolve()))
    socket.close()
    for (let tries = 0; !sniffer.lines().some((line) => line.includes(address)); tries++) {
      if (tries > 100) throw new Error(`the sniffer did not see a packet to ${address}`)
      await sleep(50)
    }
  }
  return sniffer.lines().length
}

// ---------------------------------------------------------------- inside and outside

async function runCommand (command) {
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code] = await Promise.race([once(child, 'close'), once(child, 'error').then(([error]) => { throw error })])
  return code ?? 1
}

async function runInside ({ routes, report, command }) {
  ip('link', 'set', 'lo', 'up')
  if (routes === 'trap') setTrap()
  const sniffer = await startSniffer()
  const seen = routes === 'trap' ? await proveSight(sniffer) : 0
  const before = countSent()
  const code = await runCommand(command)
  await sleep(500)
  const sent = subtract(countSent(), before)
  const packets = (await sniffer.stop()).slice(seen)
  const outside = Object.entries(sent).filter(([name]) => name !== 'lo')
  for (const [name, { bytes, packets: count }] of Object.entries(sent)) {
    process.stderr.write(`air gap: ${name} sent ${bytes} bytes in ${count} packets\n`)
  }
  process.stderr.write(`air gap: ${packets.length} packets left the loopback interface (${Object.keys(sent).length} interfaces watched)\n`)
  for (const line of packets.slice(0, 50)) process.stderr.write(`air gap:   ${line}\n`)
  if (report) writeFileSync(report, JSON.stringify({ routes, code, sent, packets }, null, 2))
  return packets.length > 0 || outside.some(([, { packets: count }]) => count > 0) ? LEAKED : code
}

const NAMESPACES = process.getuid() === 0 ? ['--net', '--mount'] : ['--net', '--mount', '--map-root-user']

/** Why this machine cannot create such a network; undefined if it can. */
function findObstacle () {
  for (const program of ['unshare', 'ip', 'python3']) {
    if (spawnSync(program, ['-V'], { stdio: 'ignore' }).error) return `${program} is not installed`
  }
  const pair = ['ip', 'link', 'add', 'name', 'test0', 'type', 'veth', 'peer', 'name', 'test1']
  const tried = spawnSync('unshare', [...NAMESPACES, ...pair], { encoding: 'utf8' })
  return tried.status === 0 ? undefined : `this machine does not allow network namespaces: ${tried.stderr.trim()}`
}

async function main () {
  const options = parse(process.argv.slice(2))
  if (options.inside) return await runInside(options)
  const obstacle = findObstacle()
  if (obstacle !== undefined) {
    process.stderr.write(`air gap: ${obstacle}\n`)
    return NOT_POSSIBLE
  }
  const args = process.argv.slice(2)
  return await runCommand(['unshare', ...NAMESPACES, process.execPath, SELF, '--inside', ...args])
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`air gap: ${error.message}\n`)
  process.exitCode = 1
}
