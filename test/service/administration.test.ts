import t from 'tap'
import { createAdministration } from '../../dist/service/administration.js'
import { createLoginLimit } from '../../dist/service/login-limit.js'
import { createPasswords } from '../../dist/service/passwords.js'
import { createClock } from '../support/clock.ts'

const PASSWORD = 'correct horse battery'
const ADDRESS = '192.0.2.1'
const HOUR_MS = 3600_000

async function openAdministration (password: string | undefined = PASSWORD) {
  const clock = createClock()
  const passwords = createPasswords({ log2N: 4, r: 1, p: 1 })
  const passwordHash = password === '' ? undefined : await passwords.hash(password)
  const warnings: object[] = []
  const log = { warn: (fields: object) => { warnings.push(fields) } }
  const administration = createAdministration({
    passwordHash,
    passwords,
    loginLimit: createLoginLimit({ now: clock.now }),
    now: clock.now,
    log
  })
  return { clock, warnings, administration, begin: async () => await administration.logIn(PASSWORD, ADDRESS) }
}

t.test('the password opens a session, under a secret of 256 bits', async (t) => {
  const { administration, clock, begin } = await openAdministration()
  const { secret, session } = await begin()
  t.match(secret, /^[\w-]{43}$/)
  t.match(session.id, /^[0-9a-f]{8}$/)
  t.strictSame(administration.find(secret), {
    id: session.id,
    createdAt: clock.now(),
    expiresAt: clock.now() + 12 * HOUR_MS,
    idleExpiresAt: clock.now() + HOUR_MS
  })
  t.not((await begin()).secret, secret)
  for (const other of ['', session.id, secret.slice(1), secret + 'A', secret.toUpperCase()]) t.equal(administration.find(other), undefined)
})

t.test('a wrong password opens nothing and is noted, and too many have to wait', async (t) => {
  const { administration, warnings } = await openAdministration()
  for (const wrong of ['', 'wrong', PASSWORD + ' ', PASSWORD.toUpperCase(), PASSWORD.slice(1)]) {
    await t.rejects(administration.logIn(wrong, ADDRESS), { code: 'unauthorized' })
  }
  await t.rejects(administration.logIn(PASSWORD, ADDRESS), { code: 'too_many_attempts' })
  t.ok(await administration.logIn(PASSWORD, '192.0.2.2'))
  t.strictSame(warnings, Array(5).fill({ address: ADDRESS }))
})

t.test('a session ends after an hour without use', async (t) => {
  const { administration, clock, begin } = await openAdministration()
  const { secret } = await begin()
  clock.advance(HOUR_MS - 1)
  t.ok(administration.find(secret))
  clock.advance(HOUR_MS - 1)
  t.ok(administration.find(secret))
  clock.advance(HOUR_MS)
  t.equal(administration.find(secret), undefined)
})

t.test('a session ends after twelve hours, however busy', async (t) => {
  const { administration, clock, begin } = await openAdministration()
  const { secret } = await begin()
  for (let minutes = 0; minutes < 12 * 60; minutes += 30) {
    t.ok(administration.find(secret))
    clock.advance(HOUR_MS / 2)
  }
  t.equal(administration.find(secret), undefined)
})

t.test('a session that is ended opens nothing, others still do', async (t) => {
  const { administration, begin } = await openAdministration()
  const [first, second] = [await begin(), await begin()]
  administration.end(first.secret)
  t.equal(administration.find(first.secret), undefined)
  t.ok(administration.find(second.secret))
})

t.test('there are a hundred sessions at most: the oldest makes room, and those that are over go first', async (t) => {
  const { administration, clock, begin } = await openAdministration()
  const over = await begin()
  clock.advance(HOUR_MS)
  const secrets: string[] = []
  for (let i = 0; i < 100; i++) secrets.push((await begin()).secret)
  t.equal(administration.find(over.secret), undefined)
  t.ok(administration.find(secrets[0] ?? ''), 'the one that was over made room')
  await begin()
  t.equal(administration.find(secrets[0] ?? ''), undefined)
  t.ok(administration.find(secrets[1] ?? ''))
})

t.test('without a configured password nobody logs in', async (t) => {
  const { administration } = await openAdministration('')
  t.throws(() => { administration.requireOn() }, { code: 'administration_off' })
  await t.rejects(administration.logIn('', ADDRESS), { code: 'administration_off' })
  await t.rejects(administration.logIn(PASSWORD, ADDRESS), { code: 'administration_off' })
})
