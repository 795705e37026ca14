"""Tells of each packet of TCP and UDP that an interface sends or receives, a line for each, until its input ends.

packet-log.py INTERFACE
"""

import select
import socket
import struct
import sys

ETH_P_ALL = 3
OUTGOING = 4
SYN = 2
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


def words(frame, kind):
    if len(frame) < 34 or frame[12:14] != b"\x08\x00":
        return None
    packet = frame[14:]
    head = (packet[0] & 15) * 4
    protocol = {6: "tcp", 17: "udp"}.get(packet[9])
    if protocol is None:
        return None
    payload = packet[head:]
    port = struct.unpack("!H", payload[2:4])[0]
    line = f"{'sent' if kind == OUTGOING else 'received'} {protocol} {socket.inet_ntoa(packet[16:20])}:{port}"
    line += f" dscp {packet[1] >> 2}"
    if protocol == "tcp" and payload[13] & SYN:
        line += " syn"
        if has_option(payload[20:(payload[12] >> 4) * 4], MULTIPATH):
            line += " multipath"
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
