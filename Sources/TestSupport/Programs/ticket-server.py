"""Speaks HTTP over TLS 1.3, and sends a session ticket behind each response.

ticket-server.py PORT CERTIFICATE KEY
"""

import ctypes
import ssl
import socket
import sys
import threading

port, certificate, key = sys.argv[1:]
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.minimum_version = ssl.TLSVersion.TLSv1_3
context.load_cert_chain(certificate, key)
library = ctypes.CDLL("libssl.so.3")
for function in (library.SSL_new_session_ticket, library.SSL_do_handshake):
    function.argtypes = [ctypes.c_void_p]


def send_ticket(connection):
    # PyObject_HEAD and the Python socket come before `SSL *` in PySSLSocket.
    address = id(connection._sslobj._sslobj if hasattr(connection._sslobj, "_sslobj") else connection._sslobj)
    pointer = ctypes.c_void_p.from_address(address + 3 * ctypes.sizeof(ctypes.c_void_p)).value
    assert library.SSL_new_session_ticket(pointer) == 1
    assert library.SSL_do_handshake(pointer) == 1


def serve(plain, number):
    try:
        connection = context.wrap_socket(plain, server_side=True)
        text = b""
        while data := connection.recv(65536):
            text += data
            while b"\r\n\r\n" in text:
                head, text = text.split(b"\r\n\r\n", 1)
                body = b"%d %s" % (number, head.split(b" ")[1])
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                send_ticket(connection)
    except OSError:
        pass


server = socket.create_server(("127.0.0.1", int(port)))
print("ready", flush=True)
number = 0
while True:
    plain, _ = server.accept()
    number += 1
    threading.Thread(target=serve, args=(plain, number), daemon=True).start()
