"""Hands each packet of two interfaces on to the other one, some time later, until somebody ends it.

packet-delay.py INTERFACE INTERFACE MILLISECONDS
"""

import collections
import select
import socket
import sys
import time

ETH_P_ALL = 3
SOL_PACKET = 263
# Packets come as large as the kernel hands them over, with what it has still to do about their checksums.
PACKET_VNET_HDR = 15
SO_RCVBUFFORCE = 33
OUTGOING = 4


def opened(name):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    try:
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    except OSError:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
    end.bind((name, 0))
    end.setblocking(False)
    return end


def main():
    ends = [opened(name) for name in sys.argv[1:3]]
    delay = float(sys.argv[3]) / 1000
    waiting = collections.deque()
    print("ready", flush=True)
    while True:
        pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select(ends, [], [], pause)[0]:
            other = ends[1 - ends.index(end)]
            while True:
                try:
                    packet, address = end.recvfrom(1 << 17)
                except OSError:
                    break
                if address[2] != OUTGOING:
                    waiting.append((time.monotonic() + delay, other, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.popleft()
            try:
                end.send(packet)
            except OSError:
                pass  # Lost, as on a link.


main()
