import { zipSync } from 'fflate'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { openZip } from '../../../dist/engine/models/zip.js'
import { messageOf } from '../../support/model-server.ts'
import { randomBytes } from '../../support/random.ts'

const NOISE = randomBytes(600_000, 1)
const WHEEL = Buffer.from(zipSync({
  'pkg/__init__.py': Buffer.from('raise SystemExit'), 'pkg/data/model.bin': NOISE, 'pkg/plain.txt': [Buffer.from('stored'), { level: 0 }]
}))

async function read (t: Test, bytes: Buffer, name: string): Promise<Buffer> {
  const path = `${t.testdirName}/x.whl`
  writeFileSync(path, bytes)
  const zip = await openZip(path, 'x.whl')
  try {
    const chunks: Buffer[] = []
    for await (const chunk of zip.read(name)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    await zip.close()
  }
}

/** A copy with `bytes` put at `offset` after the first (or, `last`, the last) place where `mark` stands. */
function patch (mark: string, offset: number, bytes: number[], which: 'first' | 'last' = 'last'): Buffer {
  const copy = Buffer.from(WHEEL)
  const at = which === 'first' ? copy.indexOf(mark) : copy.lastIndexOf(mark)
  Buffer.from(bytes).copy(copy, at + offset)
  return copy
}

t.test('members are unpacked by name, packed or stored', async (t) => {
  t.testdir()
  t.ok((await read(t, WHEEL, 'pkg/data/model.bin')).equals(NOISE))
  t.equal((await read(t, WHEEL, 'pkg/plain.txt')).toString(), 'stored')
  t.ok(
    (await read(t, Buffer.concat([WHEEL.subarray(0, -2), Buffer.from([4, 0]), Buffer.from('note')]), 'pkg/data/model.bin')).equals(NOISE),
    'with a comment at the end'
  )
  t.match(await messageOf(read(t, WHEEL, 'pkg/missing')), 'ModelError: x.whl is damaged or not a wheel: it does not hold pkg/missing')
})

t.test('a name that climbs makes the whole wheel suspect', async (t) => {
  t.testdir()
  for (const name of ['../../etc/passwd', '/etc/passwd', 'a/../../b', '..\\b', 'C:\\b']) {
    const wheel = Buffer.from(zipSync({ 'pkg/a': Buffer.from('a'), [name]: Buffer.from('b') }))
    t.match(await messageOf(read(t, wheel, 'pkg/a')), /^ModelError: .* which would leave its folder$/, name)
  }
})

t.test('wrong lengths, contents and offsets are detected', async (t) => {
  t.testdir()
  // In the directory, offsets before the name: flags 38, method 36, checksum 30, packed 26, unpacked 22, place 4.
  const name = 'pkg/data/model.bin'
  for (const [wheel, message] of [
    [patch(name, -38, [1, 0]), /is encrypted$/],
    [patch(name, -36, [12, 0]), /unknown compression method \(12\)$/],
    [patch(name, -30, [0, 0, 0, 0]), /does not match its checksum$/],
    [patch(name, -22, [16, 39, 0, 0]), /is larger than the 10000 bytes it announces$/],
    [patch(name, -22, [255, 255, 255, 0]), /has 600000 bytes, but announces 16777215$/],
    [patch(name, -22, [255, 255, 255, 255]), /uses zip64 fields$/],
    [patch(name, -26, [255, 255, 255, 127]), /lies outside the file$/],
    [patch(name, -4, [1, 0, 0, 0]), /is not where the directory says$/],
    [patch(name, 0, [81], 'first'), /names one member both "pkg\/data\/model\.bin" and "Qkg/],
    [patch(name, 5000, [0, 0, 0, 0, 0, 0, 0, 0], 'first'), /does not match its checksum|cannot be unpacked/]
  ] as const) t.match(await messageOf(read(t, wheel, name)), message)
})

t.test('a truncated wheel is refused', async (t) => {
  t.testdir()
  for (const length of [0, 10, 300_000, WHEEL.length - 30, WHEEL.length - 1]) {
    t.match(
      await messageOf(read(t, WHEEL.subarray(0, length), 'pkg/plain.txt')),
      'ModelError: x.whl is damaged or not a wheel: it has no directory at its end', String(length)
    )
  }
  const end = Buffer.from(WHEEL)
  end.writeUInt32LE(0xffffffff, end.length - 6)
  t.match(await messageOf(read(t, end, 'pkg/plain.txt')), /it is a zip64 file/)
  end.writeUInt32LE(end.length, end.length - 6)
  t.match(await messageOf(read(t, end, 'pkg/plain.txt')), /its directory lies outside the file/)
})
