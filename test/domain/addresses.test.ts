import t from 'tap'
import { isPublicAddress, mayReach, parseAllowEntry } from '../../dist/domain/addresses.js'
import { PRIVATE_ADDRESSES, PUBLIC_ADDRESSES, allowing } from '../support/address-tricks.ts'

t.test('addresses of the public internet are public, all others are not', async (t) => {
  for (const address of PUBLIC_ADDRESSES) t.ok(isPublicAddress(address), address)
  for (const address of [...PRIVATE_ADDRESSES, 'fe80::1%eth0', '2606:4700::1%1', '127.1', '0x8.8.8.8', '8.8.8', 'localhost', '']) {
    t.notOk(isPublicAddress(address), address)
  }
})

t.test('entries are addresses, ranges, names and suffixes, with or without a port', async (t) => {
  for (const text of [
    '10.0.0.1',
    '10.0.0.0/8',
    '10.0.0.0/8:8080',
    '10.0.0.1:80',
    '::1',
    'fd00::/8',
    '[fd00::/8]',
    '[fd00::/8]:443',
    '[::1]:8080',
    '0.0.0.0/0',
    '::/0',
    'localhost',
    'NAS.local',
    'nas_1.local:8443',
    '*.corp.example',
    '*.corp.example:443',
    'xn--bcher-kva.example'
  ]) {
    t.ok(parseAllowEntry(text), text)
  }
  for (const text of [
    '',
    '*',
    '*.',
    '.example',
    'a..b',
    'a b',
    '-a.example',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.1',
    '0x7f.1',
    '127.0.0.01',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    'nas.local:',
    'nas.local:http',
    '[10.0.0.1]:80',
    '[nas.local]',
    '[::1',
    '::1]',
    'fe80::1%eth0',
    'http://nas.local',
    'nas.local/8',
    'nas.local/path',
    'user@nas.local',
    'a.*.example',
    '1.2.3.4.5',
    'bücher.example'
  ]) {
    t.equal(parseAllowEntry(text), undefined, text)
  }
})

const reaches = (entry: string, host: string, address: string, port = 443): boolean =>
  mayReach(allowing(entry).sources, { host, port }, address)

t.test('an allowed address or range may be reached under any name', async (t) => {
  t.ok(reaches('10.0.0.0/8', 'nas.local', '10.9.8.7'))
  t.ok(reaches('10.0.0.0/8', '10.9.8.7', '::ffff:10.9.8.7'), 'also inside IPv6')
  t.ok(reaches('fd00::/8', 'nas.local', 'fd12::1'))
  t.ok(reaches('169.254.169.254', '169.254.169.254', '169.254.169.254'), 'also what a name would not open')
  t.notOk(reaches('10.0.0.0/8', 'nas.local', '11.0.0.1', 22))
  t.notOk(reaches('10.0.0.0/8', 'nas.local', 'fd12::1'))
  t.notOk(reaches('fd00::/8', 'nas.local', '10.0.0.1'))
})

t.test('an allowed name opens what it stands for, itself and no other', async (t) => {
  t.ok(reaches('nas.local', 'nas.local', '192.168.1.2'))
  t.ok(reaches('nas.local', 'NAS.local.', '192.168.1.2'))
  t.notOk(reaches('nas.local', 'nas.local.evil.example', '192.168.1.2'))
  t.notOk(reaches('nas.local', 'xnas.local', '192.168.1.2'))
  t.ok(reaches('*.corp.example', 'a.b.corp.example', '10.0.0.1'))
  t.notOk(reaches('*.corp.example', 'corp.example', '10.0.0.1'))
  t.notOk(reaches('*.corp.example', 'evilcorp.example', '10.0.0.1'))
})

t.test('a name never opens where clouds keep credentials', async (t) => {
  for (const address of ['169.254.169.254', 'fe80::1', '168.63.129.16', '::ffff:169.254.169.254']) {
    t.notOk(reaches('nas.local', 'nas.local', address), address)
  }
})

t.test('what stands for no single host is never reached', async (t) => {
  for (const address of ['0.0.0.0', '::', '224.0.0.1', 'ff02::1', '255.255.255.255', '::ffff:0.0.0.0']) {
    t.notOk(mayReach(allowing('0.0.0.0/0', '::/0', 'x.local').sources, { host: 'x.local', port: 80 }, address), address)
  }
})

t.test('ports of other services need an entry that names them', async (t) => {
  for (const port of [80, 443, 1024, 8080, 65_535]) t.ok(mayReach([], { host: 'a.example', port }, '8.8.8.8'), String(port))
  for (const port of [1, 22, 25, 79, 81, 1023]) t.notOk(mayReach([], { host: 'a.example', port }, '8.8.8.8'), String(port))
  t.notOk(reaches('nas.local', 'nas.local', '10.0.0.1', 25))
  t.ok(reaches('nas.local:81', 'nas.local', '10.0.0.1', 81))
  t.notOk(reaches('nas.local:81', 'nas.local', '10.0.0.1', 80), 'a port given is the only one')
  t.ok(reaches('a.example:81', 'a.example', '8.8.8.8', 81), 'of a public host as well')
})
