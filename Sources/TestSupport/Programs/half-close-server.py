"""Sends back the bytes of a client over TLS, but only behind its close_notify.

half-close-server.py PORT CERTIFICATE KEY
"""

import socket
import ssl
import sys
import threading

port, certificate, key = sys.argv[1:4]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


def serve(plain):
    try:
        # Without suppression, an end without close_notify is an error and not an end.
        with context.wrap_socket(plain, server_side=True, suppress_ragged_eofs=False) as client:
            said = b""
            while data := client.recv(65536):
                said += data
            client.sendall(b"you said " + said)
            client.unwrap()
    except OSError:
        pass


with socket.create_server(("127.0.0.1", int(port))) as listener:
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
