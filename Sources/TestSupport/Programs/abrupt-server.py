"""Breaks TLS connections off with a reset, and sends no alert before.

abrupt-server.py PORT CERTIFICATE KEY AUTHORITY handshake|request|request-of-asked [PROTOCOL]

With `handshake` it asks for a client certificate, and resets the connection of a client without one. With `request` it
resets each connection when a request has come, with `request-of-asked` after a question for a certificate in vain. It
chooses PROTOCOL in the handshake (ALPN), or nothing.
"""

import socket
import ssl
import struct
import sys
import threading

port, certificate, key, authority, stage = sys.argv[1:6]
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)
context.minimum_version = ssl.TLSVersion.TLSv1_3
if stage != "request":
    context.verify_mode = ssl.CERT_REQUIRED if stage == "handshake" else ssl.CERT_OPTIONAL
    context.load_verify_locations(authority)
if sys.argv[6:]:
    context.set_alpn_protocols(sys.argv[6:])


def serve(client):
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(received, sent, server_side=True)
    is_ready = False
    while True:
        try:
            if not is_ready:
                tls.do_handshake()
                is_ready = True
                # Tickets, by which the client sees that it is accepted: its request may have come with its last words.
                client.sendall(sent.read())
            if tls.read(65536):
                break
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            # The alert stays in memory.
            break
        try:
            client.sendall(sent.read())
            data = client.recv(65536)
        except OSError:
            break
        if not data:
            break
        received.write(data)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


server = socket.create_server(("127.0.0.1", int(port)))
print("ready", flush=True)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
