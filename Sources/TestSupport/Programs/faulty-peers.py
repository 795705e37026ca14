"""A peer of each protocol for each fault, each on a port of its own at 127.0.0.1.

    faulty-peers.py PORT CERTIFICATE KEY SFTP

Prints `ready` with the port of each peer, such as `https_reset=41234`; PORT is the port of `http_silent`, SFTP the
port of a server of SSH whose bytes the peers of `sftp` pass on.
"""

import importlib.util
import itertools
import os
import socket
import struct
import sys
import threading
import time

spec = importlib.util.spec_from_file_location(
    "hostile_peers", os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile-peers.py")
)
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)
http2 = peers.module("http2-server.py")
SECURE = http2.context_for(peers.certificate, peers.key, "faulty")
# More than any peer sends.
LENGTH = 1 << 30


# Faults: what follows the beginning of an answer, of which `send` sends a piece.


def stall(send, lines):
    send(b"hello")
    peers.wait(lines[0])


def drip(send, lines):
    for _ in itertools.count():
        send(b"a")
        time.sleep(1)


def reset(send, lines):
    send(b"hello")
    for line in lines:
        # The kernel resets the connection without a lingering close, when no thread reads it.
        line.shutdown(socket.SHUT_RD)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(line.detach())


def cut(send, lines):
    send(b"hello")
    for line in lines:
        # Also without an end of TLS.
        http2.drain(line)


def endless(send, lines):
    for _ in itertools.count():
        send(b"a" * 1000)
        time.sleep(0.01)


FAULTS = {"stall": stall, "drip": drip, "reset": reset, "cut": cut, "endless": endless}


# Protocols: each begins an answer, and calls the fault with a function that sends a piece of it.


def http(client, fault):
    peers.head(client)
    client.sendall(peers.OK + b"Content-Length: %d\r\n\r\n" % LENGTH)
    fault(client.sendall, [client])


class HTTP2(http2.Connection):
    def faulty(self, stream, number):
        self.head(stream, LENGTH)
        self.fault(lambda piece: self.send(http2.DATA, 0, stream, piece), [self.peer])


def h2(client, fault):
    with SECURE.wrap_socket(client, server_side=True) as client:
        connection = HTTP2(client, "faulty", 0)
        connection.fault = fault
        connection.run()


class FTP(peers.FTP):
    def answer(self, verb):
        if verb == "SIZE":
            return self.reply(f"213 {LENGTH}")
        super().answer(verb)


def ftp(client, fault):
    def file(line):
        fault(line.sendall, [line, server.client])
    server = FTP(client, file, {})
    server.run()


def ftps(client, fault):
    def file(line):
        line = peers.context.wrap_socket(line, server_side=True)
        fault(line.sendall, [line, server.client])
    server = FTP(client, file, {})
    server.run()


def sftp(client, fault):
    """Passes a login and the beginning of a file on."""
    server = socket.create_connection(("127.0.0.1", int(sys.argv[4])))

    def pass_on():
        while piece := client.recv(1 << 16):
            server.sendall(piece)

    def send(piece):
        client.sendall(server.recv(len(piece)))

    threading.Thread(target=peers.run, args=(lambda _: pass_on(), server), daemon=True).start()
    for _ in range(3000):
        send(bytes(100))
    # The other thread reads what the client sends.
    fault(send, [client])


def stream(client, fault):
    client.recv(1 << 16)
    fault(client.sendall, [client])


def ws(client, fault):
    peers.upgrade(client)

    def send(piece):
        length = struct.pack(">BH", 126, len(piece)) if len(piece) > 125 else bytes([len(piece)])
        client.sendall(b"\x81" + length + piece)

    fault(send, [client])


def secured(protocol):
    def serve(client, fault):
        with peers.context.wrap_socket(client, server_side=True) as client:
            protocol(client, fault)
    return serve


# Two servers of FTP: the second one answers when the handshake with the first one has begun, which never ends.

ASKED, HANDSHAKE = threading.Event(), threading.Event()


def first(client):
    def begin(client):
        ASKED.wait()
        client.sendall(b"234 go on\r\n")
        client.recv(1)
        HANDSHAKE.set()
    try:
        peers.FTP(client, None, {"AUTH": begin}).run()
    finally:
        HANDSHAKE.set()
    peers.wait(client)


class Second(peers.FTP):
    def answer(self, verb):
        if verb == "SIZE":
            ASKED.set()
            HANDSHAKE.wait()
        super().answer(verb)


PROTOCOLS = {
    "http": http, "https": secured(http), "h2": h2, "ftp": ftp, "ftps": secured(ftps), "sftp": sftp,
    "stream": stream, "secureStream": secured(stream), "ws": ws, "wss": secured(ws),
}
PEERS = {"ftps_first": first, "ftp_second": lambda client: Second(client, peers.hello, {}).run()}
for protocol, serve in PROTOCOLS.items():
    PEERS[f"{protocol}_silent"] = peers.wait
    for name, fault in FAULTS.items():
        PEERS[f"{protocol}_{name}"] = lambda client, serve=serve, fault=fault: serve(client, fault)
peers.serve(PEERS, "http_silent")
