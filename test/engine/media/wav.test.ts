import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { announcedWavMs } from '../../../dist/engine/media/wav.js'

function chunk (id: string, body: Buffer, size = body.length): Buffer {
  const header = Buffer.alloc(8)
  header.write(id, 'latin1')
  header.writeUInt32LE(size, 4)
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)])
}

const FORMAT = chunk('fmt ', Buffer.alloc(16))
const BITS_PER_SECOND = 256_000

async function announced (t: Test, chunks: Buffer[], { form = 'RIFF', bits = BITS_PER_SECOND } = {}): Promise<number | undefined> {
  const file = `${t.testdir()}/x.wav`
  writeFileSync(file, Buffer.concat([Buffer.from(form), Buffer.alloc(4), Buffer.from('WAVE'), ...chunks]))
  return await announcedWavMs(file, bits)
}

t.test('the length announced in the header is used, not the file size', async (t) => {
  t.equal(await announced(t, [FORMAT, chunk('data', Buffer.alloc(10), 320_000)]), 10_000)
  t.equal(await announced(t, [FORMAT, chunk('data', Buffer.alloc(32_000))]), 1000)
})

t.test('other chunks before the sound are skipped, with their padding', async (t) => {
  t.equal(
    await announced(t, [
      chunk('JUNK', Buffer.alloc(28)),
      FORMAT,
      chunk('LIST', Buffer.alloc(27)),
      chunk('bext', Buffer.alloc(1)),
      chunk('data', Buffer.alloc(0), 64_000)
    ]),
    2000
  )
})

t.test('a length that was never filled in is ignored', async (t) => {
  for (const size of [0, 0xffffffff]) t.equal(await announced(t, [FORMAT, chunk('data', Buffer.alloc(100), size)]), undefined, String(size))
})

t.test('other files have no announced length', async (t) => {
  const data = chunk('data', Buffer.alloc(100))
  t.equal(await announced(t, [FORMAT, data], { form: 'RF64' }), undefined, 'a form with lengths of 64 bits')
  t.equal(await announced(t, [FORMAT]), undefined, 'no sound')
  t.equal(await announced(t, [FORMAT, Buffer.from('data\x10\x27')]), undefined, 'an end in the middle of a header')
  t.equal(await announced(t, [FORMAT, data], { bits: Number.NaN }), undefined, 'no bit rate')
  t.equal(
    await announced(t, [...Array.from({ length: 100_000 }, () => chunk('x   ', Buffer.alloc(0))), data]),
    undefined,
    'chunks without end'
  )
})
