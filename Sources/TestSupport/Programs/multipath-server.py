"""Answers each connection with `hello`, over Multipath TCP to a client that asks for it; at /held the second half follows a SIGUSR1.

multipath-server.py PORT
"""

import signal
import socket
import sys

IPPROTO_MPTCP = 262

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("0.0.0.0", int(sys.argv[1])))
server.listen()
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    with connection:
        request = connection.recv(65536)
        if not request:
            continue
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhel"
        )
        if request.startswith(b"GET /held"):
            signal.sigwait([signal.SIGUSR1])
        connection.sendall(b"lo")
