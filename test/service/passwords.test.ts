import { scryptSync } from 'node:crypto'
import t from 'tap'
import { createPasswords } from '../../dist/service/passwords.js'

const PASSWORD = 'correct horse battery'
const FAST = { log2N: 4, r: 1, p: 1 }

t.test('a password is stored as what RFC 7914 makes of it, with its cost and a salt of its own', async (t) => {
  const passwords = createPasswords()
  const [stored, again] = await Promise.all([passwords.hash(PASSWORD), passwords.hash(PASSWORD)])
  t.not(stored, again)
  const [scheme, cost, salt = '', hash] = stored.match(/^(scrypt)\$(15\$8\$3)\$([\w-]{22})\$([\w-]{43})$/)?.slice(1) ?? []
  t.strictSame([scheme, cost], ['scrypt', '15$8$3'])
  const expected = scryptSync(PASSWORD, Buffer.from(salt, 'base64url'), 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 })
  t.equal(hash, expected.toString('base64url'))
})

t.test('only the password itself is right, however its letters are composed', async (t) => {
  const passwords = createPasswords(FAST)
  const stored = await passwords.hash('b\u00fcrgermeister')
  for (const right of ['b\u00fcrgermeister', 'bu\u0308rgermeister']) t.equal(await passwords.verify(stored, right), true)
  for (const wrong of ['', 'burgermeister', 'B\u00fcrgermeister', 'b\u00fcrgermeister ', stored]) {
    t.equal(await passwords.verify(stored, wrong), false)
  }
})

t.test('a hash of another cost is still verified', async (t) => {
  const stored = await createPasswords({ log2N: 5, r: 2, p: 2 }).hash(PASSWORD)
  t.equal(await createPasswords(FAST).verify(stored, PASSWORD), true)
  await t.rejects(createPasswords(FAST).verify('md5$x', PASSWORD), /unknown scheme/)
})

t.test('without a stored password nothing is right, after the same work', async (t) => {
  const passwords = createPasswords()
  const stored = await passwords.hash(PASSWORD)
  const took = async (hash: string | undefined): Promise<number> => {
    const cpu = process.cpuUsage()
    t.equal(await passwords.verify(hash, 'wrong'), false)
    return process.cpuUsage(cpu).user
  }
  const [known, unknown] = [await took(stored), await took(undefined)]
  t.ok(unknown > known / 3, `${unknown} us of processor time, ${known} us for a known one`)
})

t.test('more than can wait are refused, and all others get their answer', async (t) => {
  const passwords = createPasswords(FAST)
  const results = await Promise.allSettled(Array.from({ length: 40 }, async () => await passwords.verify(undefined, PASSWORD)))
  t.strictSame(results.filter(({ status }) => status === 'fulfilled').length, 2 + 32)
  const refused = results.find((result) => result.status === 'rejected')
  t.match(refused?.reason, { code: 'unavailable', headers: { 'retry-after': '5' } })
  t.equal(await passwords.verify(undefined, PASSWORD), false, 'and afterwards there is room again')
})
