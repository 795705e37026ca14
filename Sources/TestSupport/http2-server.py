"""A server that speaks HTTP/2 over TLS frame by frame, as wrongly as it is told to.

    http2-server.py PORT CERTIFICATE KEY BEHAVIOUR [COUNT]
"""

import itertools
import socket
import ssl
import struct
import sys
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM = 0, 2, 7


def field(name, value, flags=0):
    """A field in plain letters, each of less than 127 (RFC 7541 6.2)."""
    return bytes([flags, len(name)]) + name + bytes([len(value)]) + value


OK = b"\x88"
EARLY_HINTS = field(b":status", b"103")


class Connection:
    numbers = itertools.count(1)
    streams = itertools.count(1)
    lock = threading.Lock()

    def __init__(self, peer, behaviour, count):
        self.peer, self.count = peer, count
        self.answered = 0
        self.drops = False
        with self.lock:
            self.number = next(self.numbers)
        self.behave = getattr(self, behaviour)

    def run(self):
        if not self.receive(24).startswith(b"PRI * HTTP/2.0"):
            return
        self.send(SETTINGS, 0, 0)
        while True:
            head = self.receive(9)
            self.receive(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            if kind == SETTINGS and not flags & ACK:
                self.send(SETTINGS, ACK, 0)
            elif kind == HEADERS:
                with self.lock:
                    number = next(self.streams)
                if self.behave == self.take and not flags & END_STREAM:
                    continue
                self.behave(stream, number)
            elif kind == DATA and self.behave == self.take:
                length = int.from_bytes(head[:3], "big")
                for window in (0, stream) if length else ():
                    self.send(WINDOW_UPDATE, 0, window, struct.pack(">I", length))
                if flags & END_STREAM:
                    self.answer(stream)

    def receive(self, count):
        data = b""
        while len(data) < count:
            piece = self.peer.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def send(self, kind, flags, stream, payload=b""):
        length = struct.pack(">I", len(payload))[1:]
        self.peer.sendall(length + struct.pack(">BBI", kind, flags, stream) + payload)

    def head(self, stream, length):
        """The head of a response, with a length unless it is 0."""
        announced = field(b"content-length", b"%d" % length) if length else b""
        self.send(HEADERS, END_HEADERS, stream, OK + announced)

    def hello(self, stream, length):
        self.head(stream, length)
        self.send(DATA, 0, stream, b"hello")

    def answer(self, stream):
        self.head(stream, 5)
        self.send(DATA, END_STREAM, stream, b"hello")
        self.answered += 1

    def reset_stream(self, stream, error):
        self.send(RST_STREAM, 0, stream, struct.pack(">I", error))

    def go_away(self, last):
        self.send(GOAWAY, 0, 0, struct.pack(">II", last, NO_ERROR))

    # What the server does with a stream: its identifier, and which one of all connections it is.

    def take(self, stream, number):
        """Answers requests when they are whole."""
        self.answer(stream)

    def refuse(self, stream, number):
        """Refuses the first COUNT streams."""
        if number > self.count:
            self.answer(stream)
        else:
            self.reset_stream(stream, REFUSED_STREAM)

    def retire(self, stream, number):
        """Answers COUNT streams of each connection and looks at none that came after them."""
        if self.answered == self.count:
            return
        self.answer(stream)
        if self.answered == self.count:
            self.go_away(stream)

    def turn_away(self, stream, number):
        """Closes the first COUNT connections without having looked at any stream."""
        if self.number > self.count:
            return self.answer(stream)
        self.go_away(0)
        raise ConnectionError

    def finish(self, stream, number):
        """Says that it goes before it answers."""
        self.go_away(stream)
        self.answer(stream)
        raise ConnectionError

    def leave(self, stream, number):
        self.hello(stream, self.count)
        self.go_away(stream)
        raise ConnectionError

    def drop(self, stream, number):
        self.hello(stream, self.count)
        self.drops = True
        # Unread bytes would make the kernel reset the connection.
        self.peer.shutdown(socket.SHUT_WR)
        while self.peer.recv(4096):
            pass
        raise ConnectionError

    def hang_up(self, stream, number):
        raise ConnectionError

    def reset(self, stream, number):
        self.hello(stream, self.count)
        self.reset_stream(stream, INTERNAL_ERROR)

    def stop(self, stream, number):
        self.hello(stream, self.count)
        self.reset_stream(stream, NO_ERROR)

    def endless_head(self, stream, number):
        self.send(HEADERS, 0, stream, OK)
        while True:
            self.send(CONTINUATION, 0, stream, field(b"x-a", b"b" * 100) * 100)

    def empty_continuations(self, stream, number):
        self.send(HEADERS, 0, stream, OK)
        while True:
            self.send(CONTINUATION, 0, stream)

    def head_bomb(self, stream, number):
        """A head of 1 MB in 12 KB: a field that is in the table, and then is named again and again."""
        kept = field(b"x-a", b"b" * 100, flags=0x40)
        self.send(HEADERS, END_HEADERS, stream, OK + kept + b"\xbe" * 10_000)

    def informational(self, stream, number):
        while True:
            self.send(HEADERS, END_HEADERS, stream, EARLY_HINTS)

    def huge_settings(self, stream, number):
        while True:
            self.send(SETTINGS, 0, 0, struct.pack(">HI", 3, 100) * 2700)

    def settings(self, stream, number):
        while True:
            self.send(SETTINGS, 0, 0, struct.pack(">HI", 3, 100))

    def pings(self, stream, number):
        while True:
            self.send(PING, 0, 0, b"12345678")


def serve(peer, behaviour, count):
    try:
        with context.wrap_socket(peer, server_side=True) as secured:
            connection = Connection(secured, behaviour, count)
            try:
                connection.run()
            finally:
                # Without the end of TLS a client cannot tell a lost connection from one that was closed.
                if not connection.drops:
                    secured.unwrap()
    except OSError:
        pass


port, certificate, key, behaviour = sys.argv[1:5]
count = int(sys.argv[5]) if len(sys.argv) > 5 else 0
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2"])
listener = socket.create_server(("127.0.0.1", int(port)), backlog=512)
print("ready", flush=True)
while True:
    peer, _ = listener.accept()
    threading.Thread(target=serve, args=(peer, behaviour, count), daemon=True).start()
