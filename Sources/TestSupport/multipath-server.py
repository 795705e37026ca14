"""Answers each connection with `hello`, over Multipath TCP to who asks for it.

multipath-server.py PORT
"""

import socket
import sys

IPPROTO_MPTCP = 262

server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("0.0.0.0", int(sys.argv[1])))
server.listen()
print("ready", flush=True)
while True:
    connection, _ = server.accept()
    with connection:
        if connection.recv(65536):
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
            )
