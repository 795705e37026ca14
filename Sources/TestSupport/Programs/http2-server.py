"""A server that speaks HTTP/2 over TLS frame by frame, as wrongly as it is told to.

    http2-server.py PORT CERTIFICATE KEY BEHAVIOUR [COUNT]
"""

import itertools
import re
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
    cuts = set()
    lock = threading.Lock()

    def __init__(self, peer, behaviour, count):
        self.peer, self.count = peer, count
        self.answered = 0
        self.ends = []
        self.drops = False
        # Held frames are sent in one record of TLS.
        self.holds, self.unsent = False, b""
        with self.lock:
            self.number = next(self.numbers)
        self.behave = getattr(self, behaviour)

    def run(self):
        if not self.receive(24).startswith(b"PRI * HTTP/2.0"):
            return
        self.send(SETTINGS, 0, 0)
        while True:
            head = self.receive(9)
            payload = self.receive(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            if kind == SETTINGS and not flags & ACK:
                self.send(SETTINGS, ACK, 0)
            elif kind == HEADERS:
                with self.lock:
                    number = next(self.streams)
                if self.behave == self.take and not flags & END_STREAM:
                    continue
                if self.behave == self.cut:
                    self.cut(stream, payload)
                else:
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
        self.unsent += length + struct.pack(">BBI", kind, flags, stream) + payload
        if not self.holds:
            self.flush()

    def flush(self):
        frames, self.unsent = self.unsent, b""
        self.peer.sendall(frames)

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
        """Answers COUNT streams of each connection and looks at no later stream."""
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
        self.drop_connection()

    def hang_up(self, stream, number):
        raise ConnectionError

    def reset(self, stream, number):
        self.hello(stream, self.count)
        self.reset_stream(stream, INTERNAL_ERROR)

    def stop(self, stream, number):
        self.hello(stream, self.count)
        self.reset_stream(stream, NO_ERROR)

    def cut(self, stream, request):
        """Answers as the path says, /STAGE-LENGTH-END-COUNT, when COUNT streams of the connection are there.

        Every second stream is answered as a whole before the others end. Once they have, COUNT is 1.
        """
        script = re.search(rb"/([a-z]+)-([a-z]+)-([a-z0-9-]+)-(\d+)~", request)
        stage, length, end, count = script.groups()
        self.ends.append(stream)
        if len(self.ends) < int(count) and script[0] not in self.cuts:
            return
        self.cuts.add(script[0])
        streams, self.ends = self.ends, []
        whole, cut = streams[1::2], streams[::2]
        for stream in streams:
            self.begin(stream, stage, length)
        self.holds = True
        for stream in whole:
            self.finish_cut(stream, stage, length)
        kind, _, error = end.decode().partition("-")
        self.end(cut, kind, error)
        self.holds = False
        self.flush()
        if kind in ("below", "at", "close", "drop", "abort"):
            self.end_connection(kind)

    def begin(self, stream, stage, length):
        announced = field(b"content-length", b"10") if length == b"length" else b""
        if stage == b"nothing":
            return
        if stage == b"part":
            return self.send(HEADERS, 0, stream, OK + announced)
        self.send(HEADERS, END_HEADERS, stream, OK + announced)
        if stage in (b"body", b"all"):
            self.send(DATA, 0, stream, b"hello")
        if stage == b"all":
            self.send(DATA, 0, stream, b"hello")

    def finish_cut(self, stream, stage, length):
        if stage == b"nothing":
            self.begin(stream, b"head", length)
        elif stage == b"part":
            self.send(CONTINUATION, END_HEADERS, stream)
        rest = {b"all": b"", b"body": b"hello"}.get(stage, b"hellohello")
        self.send(DATA, END_STREAM, stream, rest)

    def end(self, streams, kind, error):
        if kind == "reset":
            for stream in streams:
                self.reset_stream(stream, int(error))
        elif kind == "flag":
            for stream in streams:
                self.send(DATA, END_STREAM, stream)
        elif kind in ("below", "at"):
            last = streams[-1] if kind == "at" else max(streams[0] - 2, 0)
            self.send(GOAWAY, 0, 0, struct.pack(">II", last, int(error)))

    def end_connection(self, kind):
        if kind == "drop":
            self.drop_connection()
        if kind == "abort":
            self.drops = True
            # Without a lingering close the kernel resets the connection.
            self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ConnectionError

    def drop_connection(self):
        """Closes the connection without the end of TLS."""
        self.drops = True
        drain(self.peer)
        raise ConnectionError

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

    def flood(self, send):
        """Sends frames without end, faster than a client reads them."""
        self.holds = True
        for _ in range(1000):
            send()
        while True:
            self.peer.sendall(self.unsent)

    def go_aways(self, stream, number):
        self.flood(lambda: self.go_away(stream))

    def empty_data(self, stream, number):
        self.head(stream, 5)
        self.flood(lambda: self.send(DATA, 0, stream))

    def data_of_a_byte(self, stream, number):
        self.head(stream, 1 << 30)
        self.flood(lambda: self.send(DATA, 0, stream, b"a"))

    def resets(self, stream, number):
        self.flood(lambda: self.reset_stream(stream, REFUSED_STREAM))


def answer_http1(secured):
    """Answers each request in chunks."""
    requests = secured.makefile("rb")
    while line := requests.readline():
        if line == b"\r\n":
            secured.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhellohello\r\n0\r\n\r\n")


def close(secured):
    """Ends TLS and then the connection, as nginx does: without waiting for the client's end of TLS."""
    secured.settimeout(0)
    try:
        secured.unwrap()
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
        pass
    secured.settimeout(None)
    drain(secured)


def drain(secured):
    """Ends the connection; unread bytes would make the kernel reset it."""
    secured.shutdown(socket.SHUT_WR)
    while secured.recv(4096):
        pass


def context_for(certificate, key, behaviour):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2", "http/1.1"] if behaviour == "cut" else ["h2"])
    return context


def serve(peer, context, behaviour, count):
    try:
        with context.wrap_socket(peer, server_side=True) as secured:
            if secured.selected_alpn_protocol() == "http/1.1":
                return answer_http1(secured)
            connection = Connection(secured, behaviour, count)
            try:
                connection.run()
            finally:
                # Without the end of TLS a client cannot tell a lost connection from one that was closed.
                if not connection.drops:
                    close(secured)
    except OSError:
        pass


def main():
    port, certificate, key, behaviour = sys.argv[1:5]
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    context = context_for(certificate, key, behaviour)
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=512)
    print("ready", flush=True)
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer, context, behaviour, count), daemon=True).start()


if __name__ == "__main__":
    main()
