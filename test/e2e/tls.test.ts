/** HTTPS by certificate files that are replaced while the server runs, as certbot and Kubernetes do it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:tls'
import t from 'tap'
import { startServer, runCommand } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

/** Makes a certificate for this machine in a new folder. */
function makeCertificate (folder: string, name: string): void {
  mkdirSync(folder)
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30', '-subj', `/CN=${name}`,
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`
  ], { stdio: 'ignore' })
}

/** The name in the certificate of a new connection. */
async function nameOf (address: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.end()
    }).on('error', reject)
  })
}

async function statusOf (address: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    get(`${address}/healthz`, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}

async function refuses (address: string, maxVersion: 'TLSv1.1' | 'TLSv1.2'): Promise<boolean> {
  const { port } = new URL(address)
  return await new Promise((resolve) => {
    const options = { port: Number(port), maxVersion, minVersion: 'TLSv1' as const, rejectUnauthorized: false, ciphers: 'ALL:@SECLEVEL=0' }
    const socket = connect(options, () => {
      socket.end()
      resolve(false)
    }).on('error', () => { resolve(true) })
  })
}

t.test('the certificate is read again when its symlink points elsewhere, and a broken one changes nothing', async (t) => {
  const root = t.testdir({})
  for (const name of ['one', 'two', 'three']) makeCertificate(`${root}/${name}`, name)
  symlinkSync('one', `${root}/live`)
  const swap = (target: string): void => {
    symlinkSync(target, `${root}/next`)
    renameSync(`${root}/next`, `${root}/live`)
  }
  const settings = { STENOBOX_TLS_CERTIFICATE: `${root}/live/cert.pem`, STENOBOX_TLS_KEY: `${root}/live/key.pem` }
  const server = await startServer(`${root}/data`, settings)
  t.teardown(async () => await server.stop())
  t.match(server.address, /^https:/)
  t.equal(await statusOf(server.address), 200)
  t.equal(await nameOf(server.address), 'one')
  t.equal(await refuses(server.address, 'TLSv1.1'), true)
  t.equal(await refuses(server.address, 'TLSv1.2'), false)

  swap('two')
  await waitFor('the second certificate', async () => await nameOf(server.address) === 'two', { everyMs: 200 })
  mkdirSync(`${root}/broken`)
  writeFileSync(`${root}/broken/cert.pem`, 'not a certificate')
  writeFileSync(`${root}/broken/key.pem`, 'not a key')
  swap('broken')
  await waitFor('the line about it', () => server.log().includes('the new TLS certificate cannot be used'), { everyMs: 200 })
  t.equal(await nameOf(server.address), 'two')
  swap('three')
  await waitFor('the third certificate', async () => await nameOf(server.address) === 'three', { everyMs: 200 })
  t.equal(server.log().match(/the new TLS certificate cannot be used/g)?.length, 1)
  t.notMatch(server.log(), /PRIVATE KEY/)
})

t.test('a pair that does not belong together is refused at the start, in a sentence', async (t) => {
  const root = t.testdir({})
  for (const name of ['one', 'two']) makeCertificate(`${root}/${name}`, name)
  const start = async (certificate: string, key: string) => await runCommand(`${root}/data`, ['serve'], {
    STENOBOX_TLS_CERTIFICATE: certificate, STENOBOX_TLS_KEY: key
  })
  const mixed = await start(`${root}/one/cert.pem`, `${root}/two/key.pem`)
  t.match(mixed, { code: 1, stderr: /two\/key\.pem is not the key of the certificate/ })
  t.match(await start(`${root}/none.pem`, `${root}/two/key.pem`), { code: 1, stderr: /none\.pem cannot be read \(ENOENT\)/ })
  t.match(await start(`${root}/one/key.pem`, `${root}/one/key.pem`), { code: 1, stderr: /is not a certificate in PEM/ })
  t.match(await start('', `${root}/one/key.pem`), { code: 1, stderr: /STENOBOX_TLS_CERTIFICATE: STENOBOX_TLS_KEY is set/ })
})
