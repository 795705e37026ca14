"""Tells of each packet of TCP and UDP that an interface sends or receives, a line for each, until its input ends.

The line of a received packet of TCP that carries bytes of the connection ends with `data`.

packet-log.py INTERFACE
"""

import select
import socket
import struct
import sys

ETH_P_ALL = 3
OUTGOING = 4
SYN = 2
RST = 4
MULTIPATH = 30


def has_option(options, wanted):
    while options and options[0] != 0:
        if options[0] == 1:
            options = options[1:]
            continue
        if options[0] == wanted:
            return True
        if len(options) < 2 or options[1] < 2:
            return False
        options = options[options[1]:]
    return False


def payload_of(frame):
    """The protocol, the receiver, the traffic class and the payload of a packet of either version."""
    packet = frame[14:]
    if frame[12:14] == b"\x08\x00" and len(packet) >= 20:
        head = (packet[0] & 15) * 4
        return packet[9], socket.inet_ntoa(packet[16:20]), packet[1], packet[head:]
    if frame[12:14] != b"\x86\xdd" or len(packet) < 40:
        return None
    protocol, rest = packet[6], packet[40:]
    # Hop-by-hop, routing and destination options (RFC 8200, section 4).
    while protocol in (0, 43, 60) and len(rest) >= 8:
        protocol, rest = rest[0], rest[(rest[1] + 1) * 8:]
    receiver = f"[{socket.inet_ntop(socket.AF_INET6, packet[24:40])}]"
    return protocol, receiver, (packet[0] << 4 | packet[1] >> 4) & 0xFF, rest


def words(frame, kind):
    found = payload_of(frame)
    if found is None:
        return None
    number, receiver, traffic_class, payload = found
    protocol = {6: "tcp", 17: "udp"}.get(number)
    if protocol is None or len(payload) < 8:
        return None
    port = struct.unpack("!H", payload[2:4])[0]
    line = f"{'sent' if kind == OUTGOING else 'received'} {protocol} {receiver}:{port}"
    line += f" dscp {traffic_class >> 2}"
    if protocol == "tcp" and payload[13] & SYN:
        line += " syn"
        if has_option(payload[20:(payload[12] >> 4) * 4], MULTIPATH):
            line += " multipath"
    if protocol == "tcp" and payload[13] & RST:
        line += " rst"
    if protocol == "tcp" and kind != OUTGOING and len(payload) > (payload[12] >> 4) * 4:
        line += " data"
    return line


def main():
    log = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    log.bind((sys.argv[1], 0))
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([log, sys.stdin], [], [])
        if log in ready:
            frame, address = log.recvfrom(65536)
            line = words(frame, address[2])
            if line:
                print(line, flush=True)
        elif sys.stdin in ready:
            return


main()
