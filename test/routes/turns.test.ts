/** Whose request is next, and how long work on the main thread is divided. */
import t from 'tap'
import { createTurns, inPieces } from '../../dist/routes/plugins/turns.js'

/** Turns of an event loop that the test turns. */
function openTurns () {
  const due: Array<() => void> = []
  const turns = createTurns((next) => { due.push(next) })
  const order: string[] = []
  return {
    order,
    ask: (owner: number, name: string, isGone = () => false): void => { turns.take(owner, () => { order.push(name) }, isGone) },
    turnLoop (count = 1): void { for (let done = 0; done < count; done++) due.shift()?.() }
  }
}

t.test('a request waits for nothing while nobody else asks', async (t) => {
  const { ask, order, turnLoop } = openTurns()
  ask(1, 'a1')
  t.strictSame(order, ['a1'])
  turnLoop()
  ask(1, 'a2')
  t.strictSame(order, ['a1', 'a2'])
})

t.test('an owner who asks a thousand times waits, and another one waits for one request', async (t) => {
  const { ask, order, turnLoop } = openTurns()
  for (let index = 0; index < 1000; index++) ask(1, 'a')
  t.equal(order.length, 1, 'one in each turn of the event loop')
  turnLoop(10)
  ask(2, 'b1')
  ask(2, 'b2')
  turnLoop(4)
  t.strictSame(order.slice(-4), ['a', 'b1', 'a', 'b2'])
  turnLoop(2000)
  t.equal(order.length, 1002, 'nobody is forgotten')
})

t.test('requests whose client has gone take no turn', async (t) => {
  const { ask, order, turnLoop } = openTurns()
  ask(1, 'a1')
  let isGone = false
  for (let index = 0; index < 100; index++) ask(1, 'gone', () => isGone)
  for (let index = 0; index < 100; index++) ask(2, 'gone', () => isGone)
  ask(1, 'a2')
  ask(3, 'c1')
  isGone = true
  turnLoop(2)
  t.strictSame(order.slice(1).sort(), ['a2', 'c1'])
})

t.test('a long file is rendered in pieces, and nothing of it is lost', async (t) => {
  const spend = (ms: number): void => { for (const endMs = performance.now() + ms; performance.now() < endMs;); }
  function * render (): Generator<string> {
    for (let index = 0; index < 20; index++) {
      spend(1)
      yield String(index)
    }
  }
  let turns = 0
  const chunks: string[] = []
  for await (const chunk of inPieces(render(), async () => { turns++ })) chunks.push(chunk)
  t.strictSame(chunks, Array.from({ length: 20 }, (_, index) => String(index)))
  t.ok(turns >= 7, `${turns} turns for 20 ms of work`)
})

t.test('an empty chunk is a place for a pause and is not sent', async (t) => {
  let turns = 0
  const chunks: string[] = []
  for await (const chunk of inPieces(['', 'a', '', '', 'b', ''], async () => { turns++ })) chunks.push(chunk)
  t.strictSame(chunks, ['a', 'b'])
  t.ok(turns >= 2, 'after each chunk')
})

t.test('exports whose clients read at the same moment go on one by one', async (t) => {
  const due: Array<() => void> = []
  const turns = createTurns((next) => { due.push(next) })
  const settle = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }
  let rendered = 0
  function * render (): Generator<string> {
    for (;;) {
      rendered++
      yield 'chunk'
    }
  }
  const open = async (): Promise<void> => { await new Promise<void>((resolve) => { turns.take(1, resolve) }) }
  const files = Array.from({ length: 64 }, () => inPieces(render(), open))
  await Promise.all(files.map(async (file) => await file.next()))
  // All clients have read the first chunk and want the second.
  rendered = 0
  const seconds = files.map(async (file) => await file.next())
  await settle()
  t.equal(rendered, 1, 'one in this turn of the event loop')
  due.shift()?.()
  await settle()
  t.equal(rendered, 2, 'and one in the next')
  while (due.length > 0) {
    due.shift()?.()
    await settle()
  }
  t.equal((await Promise.all(seconds)).length, 64, 'nobody is forgotten')
})
