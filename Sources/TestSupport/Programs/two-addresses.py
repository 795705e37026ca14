"""Answers at 127.0.0.3; at 127.0.0.2 connecting is refused, or with "silent" never answered.

two-addresses.py PORT silent|refusing
"""

import socket
import sys
import threading

port, manner = int(sys.argv[1]), sys.argv[2]
good = socket.create_server(("127.0.0.3", port))
bad = socket.socket()
bad.bind(("127.0.0.2", port))
waiting = []
if manner == "silent":
    # A full queue drops whatever else comes.
    bad.listen(0)
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.2", port))
        waiting.append(client)


def serve(connection):
    try:
        while connection.recv(65536):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    except OSError:
        pass


print("ready", flush=True)
while True:
    connection, _ = good.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
