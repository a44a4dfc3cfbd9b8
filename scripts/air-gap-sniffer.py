"""Prints one line for each packet on every interface but loopback until stdin is closed: interface, direction, protocol, addresses, ports,
and the name that a DNS request asks for. The first line says that it listens. Needs no library."""
import ipaddress
import select
import socket
import struct
import sys

PROTOCOLS = {1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6'}
OUTGOING = 4


def asked_name(data):
    labels, at = [], 12
    while at < len(data) and data[at] != 0:
        labels.append(data[at + 1:at + 1 + data[at]].decode('latin1'))
        at += 1 + data[at]
    return '.'.join(labels)


def describe(kind, packet):
    if kind == 0x0800 and len(packet) >= 20:
        protocol, start = packet[9], (packet[0] & 15) * 4
        source, target = packet[12:16], packet[16:20]
    elif kind == 0x86dd and len(packet) >= 40:
        protocol, start = packet[6], 40
        source, target = packet[8:24], packet[24:40]
    elif kind == 0x0806:
        return 'arp'
    else:
        return 'type %04x' % kind
    words = [PROTOCOLS.get(protocol, str(protocol)), str(ipaddress.ip_address(source)), '->', str(ipaddress.ip_address(target))]
    if protocol in (6, 17) and len(packet) >= start + 4:
        to_port = struct.unpack('!H', packet[start + 2:start + 4])[0]
        words.append('port %d' % to_port)
        if protocol == 17 and to_port == 53:
            words.append('name ' + asked_name(packet[start + 8:]))
    return ' '.join(words)


sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
sniffer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
print('listening', flush=True)
while True:
    ready, _, _ = select.select([sniffer, sys.stdin], [], [])
    if sniffer in ready:
        data, (name, kind, direction, _, _) = sniffer.recvfrom(65536)
        # A packet through a pair of interfaces shows on both ends: count it where it is sent.
        if name != 'lo' and direction == OUTGOING:
            print(name, describe(kind, data), flush=True)
    elif sys.stdin in ready:
        break
