/** Addresses that must not be reached, in every disguise we know, and helpers that try them. */
import { parseAllowEntry } from '../../dist/domain/addresses.js'
import type { AllowLists, Purpose } from '../../dist/domain/addresses.js'
import type { Lookup } from '../../dist/engine/http/names.js'

/** Plain addresses outside the public internet. */
export const PRIVATE_ADDRESSES = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::7f00:1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff05::2'
]

export const PUBLIC_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
  '2a00:1450:4001::1'
]

type Trick = readonly [url: string, code: 'blocked' | 'invalid_url']

/**
 * Spellings of this machine, of internal machines, and of things that are not addresses. PORT stands for a port that listens on 127.0.0.1.
 */
export const TRICKS: readonly Trick[] = [
  ...PRIVATE_ADDRESSES.map((address) => [`http://${address.includes(':') ? `[${address}]` : address}:PORT/`, 'blocked'] as const),
  // Other notations of 127.0.0.1, 169.254.169.254 and 0.0.0.0.
  ...[
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7F.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://0177.0.0.01:PORT/',
    'http://0x7f.0x0.0x0.0x1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://0:PORT/',
    'http://0.0:PORT/',
    'http://00000.0:PORT/',
    'http://2852039166:PORT/',
    'http://0xa9fea9fe:PORT/',
    'http://0251.0376.0251.0376:PORT/',
    'http://169.254.43518:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[0000::0001]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'http://[::FFFF:7F00:1]:PORT/',
    'http://１２７.０.０.１:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://127．0．0．1:PORT/',
    'http://127｡0｡0｡1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://127.0.0%2e1:PORT/',
    'http://public.example@127.0.0.1:PORT/',
    'http://public.example:80@127.0.0.1:PORT/',
    'http://public.example%40x@127.0.0.1:PORT/',
    'http:127.0.0.1:PORT/',
    'HTTP://127.0.0.1:PORT/',
    'http:///127.0.0.1:PORT/',
    'http://127.0.0.1:PORT/ HTTP/1.1',
    ' http://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'https://[::1]:PORT/',
    'https://2130706433:PORT/'
  ].map((url) => [url, 'blocked'] as const),
  // Names; see `lookUp`.
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ⓛocalhost',
    'loopback.example',
    'loopback6.example',
    'mapped.example',
    'metadata.example',
    'private.example',
    'mixed.example',
    'mixed6.example',
    'zone.example',
    'nonsense.example'
  ].map((name) => [`http://${name}:PORT/`, 'blocked'] as const),
  // Ports of other services, at a public host.
  ...[22, 23, 25, 53, 110, 143, 465, 587, 993].map((port) => [`http://public.example:${port}/`, 'blocked'] as const),
  // Not an address of http at all.
  ...[
    'file:///etc/passwd',
    'file://127.0.0.1/etc/passwd',
    'ftp://127.0.0.1:PORT/',
    'gopher://127.0.0.1:PORT/_x',
    'data:text/plain,x',
    'dict://127.0.0.1:PORT/',
    'ldap://127.0.0.1:PORT/',
    'javascript:x',
    'blob:http://127.0.0.1:PORT/',
    'ws://127.0.0.1:PORT/',
    'unix:/run/x.sock',
    'http+unix://x',
    'about:blank',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
    '',
    'http://',
    'http://[::1',
    'http://[fe80::1%25lo]:PORT/',
    'http://1.2.3.4.5:PORT/',
    'http://256.0.0.1:PORT/',
    'http://public.example:0/',
    'http://public.example:65536/',
    'http://public.example:PORT\\@127.0.0.1/',
    'http://127.0.0.1:PORT\\public.example/',
    'http://127.0.0.1:PORT/\r\nx: y',
    'http://127.0.0.1\r\n:PORT/',
    'http://127.0.0.1\t:PORT/',
    'http://127.0.0.1\0.public.example:PORT/',
    'http://127.0.0.1 .public.example/'
  ].map((url) => [url, 'invalid_url'] as const)
]

/** Never connected to: used with bad ports, and next to refused addresses. */
const PUBLIC = '93.184.216.34'
const ANSWERS: Record<string, string[]> = {
  'public.example': [PUBLIC],
  localhost: ['127.0.0.1'],
  'localhost.': ['::1'],
  'a.localhost': ['127.0.0.1'],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'private.example': ['10.1.2.3'],
  'mixed.example': [PUBLIC, '127.0.0.1'],
  'mixed6.example': ['2606:4700::1111', 'fd00::1'],
  'zone.example': ['fe80::1%lo'],
  'nonsense.example': ['0x7f.1']
}

/** A name service without a network. */
export const lookUp: Lookup = async (host) => {
  const addresses = ANSWERS[host]
  if (addresses === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

/** Lists that allow these entries, for every purpose. */
export function allowing (...entries: string[]): AllowLists {
  const list = entries.map((entry) => {
    const parsed = parseAllowEntry(entry)
    if (parsed === undefined) throw new Error(`no entry: ${entry}`)
    return parsed
  })
  return { sources: list, webhooks: list, oauth: list, models: list }
}

export const PURPOSES: readonly Purpose[] = ['sources', 'webhooks', 'oauth', 'models']
