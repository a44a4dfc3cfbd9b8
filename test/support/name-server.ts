/** A DNS server on the loopback interface that knows some names, says nothing about others, and refuses the rest. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServer = {
  /** As `address:port`. */
  address: string
  /** Names in the order they were asked for, once for each address family. */
  asked: string[]
  close (): void
}

/** The name that a DNS request asks for, and where its question ends. */
function readQuestion (packet: Buffer): { name: string, end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 5 }
}

/** An answer with this IPv4 address, or one that says that there is nothing. */
function makeAnswer (packet: Buffer, end: number, address: string | undefined): Buffer {
  const isA = packet.readUInt16BE(end - 4) === 1
  const record = address !== undefined && isA
    ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
    : Buffer.alloc(0)
  const answer = Buffer.concat([packet.subarray(0, end), record])
  answer.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2)
  answer.writeUInt16BE(record.length > 0 ? 1 : 0, 6)
  answer.writeUInt32BE(0, 8)
  return answer
}

/** It knows `known`, says nothing about names in `.silent`, and has no others. */
export async function startNameServer (
  known: Readonly<Record<string, string>>,
  { host, port: wantedPort } = { host: '127.0.0.1', port: 0 }
): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (packet, { port, address }) => {
    const { name, end } = readQuestion(packet)
    asked.push(name)
    if (!name.endsWith('.silent')) socket.send(makeAnswer(packet, end, known[name]), port, address)
  })
  socket.bind(wantedPort, host)
  await once(socket, 'listening')
  return { address: `${host}:${socket.address().port}`, asked, close: () => { socket.close() } }
}
