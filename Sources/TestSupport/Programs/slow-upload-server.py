"""Takes orders slowly, a MiB in a second, and tells of each request, a line for each.

At /up uploads can be resumed (draft-ietf-httpbis-resumable-upload, interop version 6). The lines are `order` with the
idempotency key once the first bytes of its body are there, `head`, `patch`, `delete`, and `cut` for an incomplete body.

slow-upload-server.py ADDRESS PORT
"""

import http.server
import socket
import sys
import time

PIECE = 16 << 10
VERSION = ("Upload-Draft-Interop-Version", "6")


class Server(http.server.ThreadingHTTPServer):
    # What is cut is heard of soon.
    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * PIECE)
        super().server_bind()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    size = 0

    def receive(self, *begun):
        rest = int(self.headers["Content-Length"])
        try:
            while rest > 0:
                piece = self.rfile.read1(min(PIECE, rest))
                if not piece:
                    raise ConnectionError
                if begun:
                    print(*begun, flush=True)
                begun = ()
                rest -= len(piece)
                Handler.size += len(piece)
                time.sleep(len(piece) / (1 << 20))
        except ConnectionError:
            print("cut", flush=True)
            self.close_connection = True
        return rest == 0

    def answer(self, status, *fields):
        self.send_response(status)
        for field in (VERSION, *fields):
            self.send_header(*field)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def offset(self, complete):
        return ("Upload-Offset", str(Handler.size)), ("Upload-Complete", f"?{complete}")

    def do_POST(self):
        Handler.size = 0
        if self.path == "/up":
            self.send_response_only(104)
            self.send_header(*VERSION)
            self.send_header("Location", "/up/1")
            self.end_headers()
        if self.receive("order", self.headers.get("Idempotency-Key", "none")):
            self.answer(201, *self.offset(1))

    def do_HEAD(self):
        print("head", flush=True)
        self.answer(204, ("Cache-Control", "no-store"), *self.offset(0))

    def do_PATCH(self):
        print("patch", flush=True)
        if self.receive():
            self.answer(200, *self.offset(1))

    def do_DELETE(self):
        print("delete", flush=True)
        self.answer(204)

    def log_message(self, *arguments):
        pass


server = Server((sys.argv[1], int(sys.argv[2])), Handler)
print("ready", flush=True)
server.serve_forever()
