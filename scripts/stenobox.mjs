#!/usr/bin/env node
/**
 * The command `stenobox`. Runs on the machine's own Node, whatever its age: when that is older than what Stenobox
 * needs, the same command line is run again by the Node that npm installed in node_modules.
 */
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
const ENTRY = join(ROOT, 'dist', 'cli', 'index.js')
const OWN_NODE = join(ROOT, 'node_modules', '.bin', 'node')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

function isNewEnough (version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

function stop (message) {
  process.stderr.write(`stenobox: ${message}\n`)
  process.exit(1)
}

/**
 * Two kinds of parent can end without passing that on: our own first process when it is killed (the channel closes), and
 * the shell between npm and us, which dies of a SIGTERM that it does not forward. A server left behind would hold the port.
 */
function stopWithParent () {
  const stopNow = () => process.kill(process.pid, 'SIGTERM')
  if (process.channel) {
    process.once('disconnect', stopNow)
    process.channel.unref()
  } else if (process.env.npm_lifecycle_event) {
    const parent = process.ppid
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      stopNow()
    }, 500)
    timer.unref()
  }
}

function runWithOwnNode () {
  const child = spawn(OWN_NODE, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc']
  })
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // A terminal sends these two to the child itself; a second one would read as "stop at once".
      if (process.stdin.isTTY && signal !== 'SIGTERM') return
      child.kill(signal)
    })
  }
  child.on('error', (error) => stop(`cannot run ${OWN_NODE}: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const name of SIGNALS) process.removeAllListeners(name)
    process.kill(process.pid, signal)
    // Signals that Node itself catches or ignores leave us alive: exit as a shell would report it.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000)
  })
}

if (!existsSync(ENTRY) || !existsSync(join(ROOT, 'node_modules'))) {
  stop('not set up yet: run `npm start` or `node scripts/setup.mjs` first')
} else if (isNewEnough(process.versions.node)) {
  stopWithParent()
  await import(pathToFileURL(ENTRY).href)
} else if (existsSync(OWN_NODE)) {
  stopWithParent()
  runWithOwnNode()
} else {
  stop(`needs Node.js 22.19 or newer; this is ${process.version}. Run \`node scripts/setup.mjs\`, or install a newer Node.js`)
}
