"""Awaits bytes over TLS, then sends five bytes and, in the same write, a record that no key protects.

broken-record-server.py PORT CERTIFICATE KEY
"""

import socket
import ssl
import sys
import threading

port, certificate, key = sys.argv[1:4]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


def serve(plain):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    secure = context.wrap_bio(incoming, outgoing, server_side=True)

    def finish(call):
        while True:
            try:
                return call()
            except ssl.SSLWantReadError:
                plain.sendall(outgoing.read())
                data = plain.recv(65536)
                if not data:
                    raise EOFError
                incoming.write(data)

    try:
        with plain:
            finish(secure.do_handshake)
            finish(lambda: secure.read(65536))
            secure.write(b"hello")
            plain.sendall(outgoing.read() + b"\x17\x03\x03\x00\x20" + bytes(32))
            while plain.recv(65536):
                pass
    except (EOFError, OSError):
        pass


with socket.create_server(("127.0.0.1", int(port))) as listener:
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
