"""Peers that keep a client waiting or busy without end, each on a port of its own at 127.0.0.1.

    hostile-peers.py PORT CERTIFICATE KEY

Prints `ready` with the port of each peer, such as `slow_head=41234`; PORT is the port of `silent`. The names of all
peers except peers of HTTP/1.1 begin with their protocol. `http2-server.py` serves the peers of HTTP/2.
"""

import base64
import contextlib
import hashlib
import importlib.util
import itertools
import os
import re
import socket
import ssl
import sys
import threading
import time

OK = b"HTTP/1.1 200 OK\r\n"
PEERS = {}
port, certificate, key = sys.argv[1:4]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


def peer(serve):
    PEERS[serve.__name__] = serve
    return serve


def flood(client, piece, count=1000):
    """Sends the same bytes without end."""
    pieces = piece * count
    while True:
        client.sendall(pieces)


def drip(client, pieces, seconds=0.2):
    """Sends pieces without end, one after each wait."""
    for piece in pieces:
        client.sendall(piece)
        time.sleep(seconds)


def wait(client):
    """Reads without an answer until the client leaves."""
    while client.recv(1 << 16):
        pass


def head(client):
    """Reads a request without a body."""
    request = b""
    while b"\r\n\r\n" not in request:
        piece = client.recv(1 << 16)
        if not piece:
            raise ConnectionError
        request += piece
    return request


def letters():
    return itertools.repeat(b"a")


# HTTP/1.1 in the clear.


@peer
def silent(client):
    wait(client)


@peer
def slow_head(client):
    head(client)
    client.sendall(OK + b"X-A: ")
    drip(client, letters())


@peer
def endless_head(client):
    head(client)
    client.sendall(OK)
    flood(client, b"X-A: b\r\n")


@peer
def endless_line(client):
    head(client)
    client.sendall(OK + b"X-A: ")
    flood(client, b"b")


@peer
def informational(client):
    head(client)
    flood(client, b"HTTP/1.1 103 Early Hints\r\n\r\n")


@peer
def chunks_of_a_byte(client):
    head(client)
    client.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    flood(client, b"1\r\na\r\n")


@peer
def chunk_extensions(client):
    head(client)
    client.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n1;a=")
    flood(client, b"b")


@peer
def endless_trailers(client):
    head(client)
    client.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
    flood(client, b"X-A: b\r\n")


@peer
def slow_body(client):
    head(client)
    client.sendall(OK + b"Content-Length: 1000000\r\n\r\n")
    drip(client, letters())


@peer
def endless_body(client):
    head(client)
    client.sendall(OK + b"\r\n")
    flood(client, b"a")


@peer
def endless_challenge(client):
    head(client)
    client.sendall(b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"a\", nonce=\"b\"\r\n\r\n")
    flood(client, b"a")


@peer
def endless_redirect_body(client):
    head(client)
    client.sendall(b"HTTP/1.1 302 Found\r\nLocation: /next\r\nTransfer-Encoding: chunked\r\n\r\n")
    flood(client, b"1\r\na\r\n")


@peer
def brotli_bomb(client):
    head(client)
    # 16 MiB of zeros in each 14 bytes.
    client.sendall(OK + b"Content-Encoding: br\r\n\r\n" + bytes([207, 255, 255, 127, 0, 36, 0, 226, 177, 64, 114, 239, 255, 13]))
    flood(client, bytes([252, 255, 255, 7, 64, 2, 32, 14, 11, 64, 247, 254, 223, 0]))


@peer
def endless_parts(client):
    head(client)
    client.sendall(OK + b"Content-Type: multipart/x-mixed-replace; boundary=a\r\n\r\n")
    flood(client, b"--a\r\n\r\na\r\n")


@peer
def upload_unread(client):
    time.sleep(600)


@peer
def upload_endless_continue(client):
    head(client)
    flood(client, b"HTTP/1.1 100 Continue\r\n\r\n")


# TLS.


@peer
def tls_half(client):
    client.recv(1 << 16)
    # The head of a record that never comes whole.
    client.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")
    wait(client)


@peer
def tls_slow(client):
    client.recv(1 << 16)
    drip(client, itertools.chain([b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03"], letters()))


@peer
def tls_alerts(client):
    client.recv(1 << 16)
    flood(client, b"\x15\x03\x03\x00\x02\x01\x00")


def over_tls(serve):
    def secured(client):
        with context.wrap_socket(client, server_side=True) as client:
            serve(client)
            # Says that TLS ends, and does not wait for the answer.
            client.settimeout(0)
            with contextlib.suppress(ssl.SSLWantReadError):
                client.unwrap()
    return secured


PEERS["secure_chunks"] = over_tls(chunks_of_a_byte)
PEERS["secure_slow_head"] = over_tls(slow_head)


# FTP.


class FTP:
    """A server that answers commands until the command at which it stops."""

    def __init__(self, client, file, stops):
        self.client, self.file, self.stops, self.listener = client, file, stops, None
        self.lines = client.makefile("rb")

    def run(self):
        self.client.sendall(b"220 hello\r\n")
        while line := self.lines.readline():
            verb = line.split()[0].decode().upper()
            if verb in self.stops:
                return self.stops[verb](self.client)
            self.answer(verb)

    def reply(self, text):
        self.client.sendall(text.encode() + b"\r\n")

    def answer(self, verb):
        match verb:
            case "USER": self.reply("331 password")
            case "PASS": self.reply("230 welcome")
            case "PWD": self.reply('257 "/"')
            case "EPSV":
                self.listener = socket.create_server(("127.0.0.1", 0))
                self.reply(f"229 here (|||{self.listener.getsockname()[1]}|)")
            case "SIZE": self.reply("502 no size")
            case "MDTM": self.reply("550 no time")
            case "AUTH":
                self.reply("234 go on")
                self.client = context.wrap_socket(self.client, server_side=True)
                self.lines = self.client.makefile("rb")
            case "RETR" | "STOR":
                self.reply("150 here it is")
                with self.listener.accept()[0] as file:
                    file.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.file(file)
                if "226" in self.stops:
                    self.stops["226"](self.client)
                self.reply("226 done")
            case "QUIT": self.reply("221 bye")
            case _: self.reply("200 well")


def ftp(name, file=None, **stops):
    def serve(client):
        if "implicit" in name:
            client = context.wrap_socket(client, server_side=True)
        FTP(client, file, stops).run()
        wait(client)
    PEERS[name] = serve


def lines(client):
    flood(client, b"226-and so on\r\n")


def tiny(client):
    while True:
        client.send(b"a")


def hello(client):
    client.sendall(b"hello")


@peer
def ftp_endless_greeting(client):
    flood(client, b"220-hello\r\n")


@peer
def ftp_slow_greeting(client):
    client.sendall(b"220-")
    drip(client, letters())


def begin_tls_never(client):
    client.sendall(b"234 go on\r\n")
    wait(client)


def unread(client):
    time.sleep(600)


ftp("ftp_login", PASS=wait)
ftp("ftp_passive", EPSV=wait)
ftp("ftp_retrieve", RETR=wait)
ftp("ftp_endless_reply", SIZE=lines)
ftp("ftp_silent_data", wait)
ftp("ftp_slow_data", lambda file: drip(file, letters()))
ftp("ftp_endless_data", lambda file: flood(file, b"a"))
ftp("ftp_tiny_data", tiny)
ftp("ftp_behind_data", hello, **{"226": wait})
ftp("ftp_endless_behind_data", hello, **{"226": lines})
ftp("ftp_quit", hello, QUIT=wait)
ftp("ftp_upload_unread", unread)
ftp("ftp_upload_unanswered", wait, **{"226": wait})
ftp("ftps_handshake", AUTH=begin_tls_never)
ftp("ftps_login", USER=wait)
ftp("ftps_file_handshake", wait)
ftp("ftps_behind_data", lambda file: over_tls(hello)(file), **{"226": wait})
ftp("ftps_implicit_login", USER=wait)
ftp("ftps_implicit_file_handshake", wait)


# SSH.


@peer
def ssh_lines(client):
    flood(client, b"hello\r\n")


@peer
def ssh_endless_line(client):
    flood(client, b"a")


@peer
def ssh_banner_alone(client):
    client.sendall(b"SSH-2.0-hostile\r\n")
    wait(client)


@peer
def ssh_packets(client):
    client.sendall(b"SSH-2.0-hostile\r\n")
    # SSH_MSG_IGNORE of four bytes (RFC 4253 11.2).
    flood(client, b"\x00\x00\x00\x0c\x02\x02\x00\x00\x00\x04aaaa\x00\x00")


# WebSockets.


def upgrade(client):
    """Accepts an opening handshake (RFC 6455 4.2.2)."""
    nonce = re.search(rb"(?i)sec-websocket-key: *(\S+)", head(client))[1]
    digest = hashlib.sha1(nonce + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    client.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
    )


def websocket(name, talk):
    def serve(client):
        upgrade(client)
        talk(client)
    PEERS["ws_" + name] = serve
    PEERS["wss_" + name] = over_tls(serve)


websocket("pings", lambda client: flood(client, b"\x89\x00"))
websocket("fragments", lambda client: flood(client, b"\x01\x00" + b"\x00\x00" * 1000))
websocket("messages", lambda client: flood(client, b"\x81\x01a"))
websocket("slow", lambda client: drip(client, itertools.chain([b"\x81\x7e\x40\x00"], letters())))


# Streams, whose tasks say something first.


@peer
def stream_endless(client):
    flood(client, b"a")


@peer
def stream_slow(client):
    drip(client, letters())


PEERS["stream_silent"] = silent
PEERS["stream_secure"] = PEERS["stream_begun"] = tls_half


# HTTP/2 and proxies.


def module(name):
    """A program of this folder as a module."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    spec = importlib.util.spec_from_file_location(name[:-3].replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def http2():
    server = module("http2-server.py")
    secure = server.context_for(certificate, key, "endless_head")
    for name in (
        "endless_head", "empty_continuations", "informational", "huge_settings", "settings", "pings", "go_aways",
        "empty_data", "data_of_a_byte", "resets",
    ):
        PEERS["h2_" + name] = lambda client, name=name: server.serve(client, secure, name, 0)


@peer
def proxy_endless_head(client):
    head(client)
    client.sendall(b"HTTP/1.1 200 Connected\r\n")
    flood(client, b"X-A: b\r\n")


@peer
def proxy_challenge(client):
    head(client)
    client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a\"\r\n\r\n")
    flood(client, b"a")


PEERS["proxy_silent"] = silent


@peer
def socks_half(client):
    client.recv(16)
    client.sendall(b"\x05")
    wait(client)


http2()


def run(serve, client):
    try:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client:
            serve(client)
    except (OSError, TypeError, IndexError):
        # The client has left, perhaps in the middle of a request.
        pass


def listen(listener, serve):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=run, args=(serve, client), daemon=True).start()


def serve(peers, first):
    """Listens for each peer, the first one at the port of the command line, and prints the ports."""
    ports = []
    for name, serve in peers.items():
        listener = socket.create_server(("127.0.0.1", int(port) if name == first else 0))
        ports.append(f"{name}={listener.getsockname()[1]}")
        threading.Thread(target=listen, args=(listener, serve), daemon=True).start()
    print("ready", *ports, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    serve(PEERS, "silent")
