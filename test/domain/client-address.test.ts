import t from 'tap'
import { clientAddress, parseNetwork } from '../../dist/domain/client-address.js'

const trusting = (...texts: string[]) => texts.map((text) => {
  const range = parseNetwork(text)
  if (!range) throw new Error(`${text} is no network`)
  return range
})

t.test('networks are addresses and ranges, but never all addresses', async (t) => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) t.ok(parseNetwork(text), text)
  for (const text of ['', '*', 'proxy.local', '10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.1:80']) t.notOk(parseNetwork(text), text)
})

t.test('what an untrusted peer says of its address is ignored', async (t) => {
  t.equal(clientAddress('203.0.113.9', '198.51.100.1', trusting('10.0.0.0/8')), '203.0.113.9')
  t.equal(clientAddress('127.0.0.1', '198.51.100.1', []), '127.0.0.1')
})

t.test('behind a trusted proxy, the last address that is not of a proxy is the client, whatever it sent itself', async (t) => {
  const proxies = trusting('10.0.0.0/8', '::1')
  t.equal(clientAddress('10.0.0.1', '198.51.100.1', proxies), '198.51.100.1')
  t.equal(clientAddress('10.0.0.1', '1.1.1.1, 198.51.100.1', proxies), '198.51.100.1')
  t.equal(clientAddress('10.0.0.1', '1.1.1.1,198.51.100.1 , 10.3.3.3', proxies), '198.51.100.1')
  t.equal(clientAddress('::1', '2001:db8::7', proxies), '2001:db8::7')
  t.equal(clientAddress('::ffff:10.0.0.1', '198.51.100.1', proxies), '198.51.100.1')
  t.equal(clientAddress('10.0.0.1', '10.0.0.7', proxies), '10.0.0.7', 'a client in the network of the proxies')
})

t.test('ports and brackets are left out; at what is no address, the proxy that passed it on stands for the client', async (t) => {
  const proxies = trusting('10.0.0.0/8')
  t.equal(clientAddress('10.0.0.1', '198.51.100.1:4711', proxies), '198.51.100.1')
  t.equal(clientAddress('10.0.0.1', '[2001:db8::7]:4711', proxies), '2001:db8::7')
  t.equal(clientAddress('10.0.0.1', '[2001:db8::7]', proxies), '2001:db8::7')
  for (const text of ['unknown', '', ' ', '198.51.100.1 evil', '198.51.100', '2130706433', '<b>', '_hidden']) {
    t.equal(clientAddress('10.0.0.1', `198.51.100.1, ${text}`, proxies), '10.0.0.1', text)
  }
  t.equal(clientAddress('10.0.0.1', undefined, proxies), '10.0.0.1')
})
