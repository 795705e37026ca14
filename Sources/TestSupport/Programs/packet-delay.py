"""Hands each packet of two interfaces on to the other one, some time later, until the test ends it.

packet-delay.py INTERFACE INTERFACE MILLISECONDS

Prints `late` and milliseconds when a packet has left later than that, and later than each before.
"""

import collections
import select
import socket
import struct
import sys
import time

ETH_P_ALL = 3
SOL_PACKET = 263
# Packets come as large as the kernel hands them over, with what it has still to do about their checksums.
PACKET_VNET_HDR = 15
SO_RCVBUFFORCE = 33
# The control message has the time at which the kernel took the packet in.
SO_TIMESTAMPNS = 35
OUTGOING = 4


def opened(name):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    try:
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    except OSError:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
    end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    end.bind((name, 0))
    end.setblocking(False)
    return end


def main():
    ends = [opened(name) for name in sys.argv[1:3]]
    delay = float(sys.argv[3]) / 1000
    waiting, latest = collections.deque(), 0.01
    print("ready", flush=True)
    while True:
        pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select(ends, [], [], pause)[0]:
            other = ends[1 - ends.index(end)]
            while True:
                try:
                    packet, control, _, address = end.recvmsg(1 << 17, 64)
                except OSError:
                    break
                if address[2] != OUTGOING:
                    seconds, nanoseconds = struct.unpack("qq", control[0][2])
                    age = max(0, time.time() - seconds - nanoseconds / 1e9)
                    waiting.append((time.monotonic() - age + delay, other, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            due, end, packet = waiting.popleft()
            if time.monotonic() - due > latest:
                latest = time.monotonic() - due
                print("late", round(latest * 1000), flush=True)
            try:
                end.send(packet)
            except OSError:
                pass  # Lost, as on a link.


main()
