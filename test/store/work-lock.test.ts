import t from 'tap'
import { tryWorkLock } from '../../dist/store/work-lock.js'
import { runModule } from '../support/child.ts'

/** A process that takes the lock of the directory it is given, says so, and stays. */
const HOLDER = `
  const { tryWorkLock } = await dist('store/work-lock.js')
  // A lock that nothing refers to is collected as garbage, and so released.
  globalThis.lock = tryWorkLock(args[0])
  console.log(globalThis.lock ? 'taken' : 'refused')
  setInterval(() => {}, 1 << 30)
`

t.test('one holder at a time in this process; given back, it is free', async (t) => {
  const dataDir = t.testdir()
  const first = tryWorkLock(dataDir)
  t.ok(first)
  t.equal(tryWorkLock(dataDir), undefined)
  first?.release()
  const second = tryWorkLock(dataDir)
  t.ok(second)
  second?.release()
})

t.test('data directories have locks of their own', async (t) => {
  const [a, b] = [tryWorkLock(t.testdir({ a: {}, b: {} }) + '/a'), tryWorkLock(t.testdirName + '/b')]
  t.ok(a)
  t.ok(b)
  a?.release()
  b?.release()
})

t.test('a process is refused while another holds it, and gets it at once when that one is killed', async (t) => {
  const dataDir = t.testdir()
  const holder = runModule(t, HOLDER, { args: [dataDir] })
  t.equal(await holder.readLine(), 'taken')
  t.equal(tryWorkLock(dataDir), undefined)
  const waiting = runModule(t, HOLDER, { args: [dataDir] })
  t.equal(await waiting.readLine(), 'refused')
  await holder.kill9()
  const lock = tryWorkLock(dataDir)
  t.ok(lock, 'free as soon as the process is gone')
  lock?.release()
})

t.test('a holder here keeps another process out', async (t) => {
  const dataDir = t.testdir()
  const lock = tryWorkLock(dataDir)
  t.equal(await runModule(t, HOLDER, { args: [dataDir] }).readLine(), 'refused')
  lock?.release()
  t.equal(await runModule(t, HOLDER, { args: [dataDir] }).readLine(), 'taken')
})

t.test('a directory or file that cannot be used is an error, not a lock held by others', async (t) => {
  t.throws(() => tryWorkLock(t.testdir() + '/missing'))
  t.throws(() => tryWorkLock(t.testdir({ 'work.lock': 'no database '.repeat(100) })), { code: 'SQLITE_NOTADB' })
})
