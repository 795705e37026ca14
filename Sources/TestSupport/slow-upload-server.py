"""Takes orders slowly, a MiB in a second, and tells of each request when its head is there, a line for each.

slow-upload-server.py ADDRESS PORT
"""

import http.server
import sys
import time

PIECE = 16 << 10


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        print("order", self.headers.get("Idempotency-Key", "none"), flush=True)
        rest = int(self.headers["Content-Length"])
        while rest > 0:
            piece = self.rfile.read1(min(PIECE, rest))
            if not piece:
                return
            rest -= len(piece)
            time.sleep(len(piece) / (1 << 20))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print("ready", flush=True)
server.serve_forever()
