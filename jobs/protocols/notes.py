#!/usr/bin/env python3
"""Serves notes://SHELF/NAME from the files of a folder: a complete program for `protocolClasses`.

    notes.py FOLDER

GET and HEAD read a note, or the rest of one, PUT stores one, DELETE removes it. `notes://SHELF/latest` redirects to the note that was
stored last. runner starts the program for each request, speaks on its standard input and listens on its standard
output; what the program writes to its standard error is for people.
"""

import json
import os
import re
import sys
import tempfile
from urllib.parse import quote, unquote, urlsplit

VERSION = 1
PIECE = 64 * 1024


class Gone(Exception):
    """runner no longer wants the response."""


def send(message, **members):
    """Writes one message; each is a line of JSON."""
    line = json.dumps({"message": message, **members})
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def send_data(piece):
    """Writes bytes of the body: the message says how many follow its line feed."""
    line = json.dumps({"message": "data", "length": len(piece)})
    sys.stdout.buffer.write(line.encode() + b"\n" + piece)
    sys.stdout.buffer.flush()


def receive():
    """Reads the next message; the end of the input means the same as `cancel`."""
    line = sys.stdin.buffer.readline()
    if not line:
        raise Gone
    message = json.loads(line)
    if message["message"] == "cancel":
        raise Gone
    return message


def pieces():
    """The body of the request, piece by piece."""
    while (message := receive())["message"] == "data":
        piece = sys.stdin.buffer.read(message["length"])
        if len(piece) < message["length"]:
            raise Gone
        yield piece


def respond(status, text="", headers=()):
    """Answers with a short text."""
    body = text.encode()
    fields = [{"name": "Content-Type", "value": "text/plain; charset=utf-8"}, *headers]
    send("response", version=VERSION, statusCode=status, headers=fields, expectedContentLength=len(body))
    if body:
        send_data(body)
    send("finish")


def start_of_rest(request, tag, size):
    """Where the rest begins that a request asks for after a cut; 0 for the whole note."""
    fields = {field["name"].lower(): field["value"] for field in request["headers"]}
    match = re.fullmatch(r"bytes=(\d+)-", fields.get("range", ""))
    # Only if the note is still the same one.
    if not match or fields.get("if-range") != tag or int(match[1]) >= size:
        return 0
    return int(match[1])


def read(request, path):
    """Answers with a file."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        tag = f'"{status.st_ino:x}-{status.st_mtime_ns:x}"'
        start = start_of_rest(request, tag, status.st_size)
        fields = [{"name": "Content-Type", "value": "text/plain; charset=utf-8"}, {"name": "ETag", "value": tag}]
        if start:
            span = f"bytes {start}-{status.st_size - 1}/{status.st_size}"
            fields.append({"name": "Content-Range", "value": span})
            file.seek(start)
        code, length = 206 if start else 200, status.st_size - start
        send("response", version=VERSION, statusCode=code, headers=fields, expectedContentLength=length)
        while request["method"] != "HEAD" and (piece := file.read(PIECE)):
            send_data(piece)
    send("finish")


def store(path, folder):
    """Stores the body of the request under a name that appears when all of it is there."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".", delete=False) as file:
        try:
            for piece in pieces():
                file.write(piece)
            file.flush()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    respond(201, "stored\n")


def latest(folder, shelf):
    """Redirects to the note that was stored last."""
    notes = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    if not notes:
        return respond(404, "no notes\n")
    newest = max(notes, key=lambda entry: (entry.stat().st_mtime_ns, entry.name))
    send("redirect", version=VERSION, statusCode=302, url=f"notes://{shelf}/{quote(newest.name)}")


def answer(request, root):
    """Answers one request."""
    url = urlsplit(request["url"])
    shelf, name = url.netloc, unquote(url.path[1:])
    if not re.fullmatch(r"[a-z0-9-]+", shelf) or not re.fullmatch(r"[^/.\0][^/\0]*", name):
        return respond(400, "a note has a shelf and a name: notes://shelf/name\n")
    folder = os.path.join(root, shelf)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    method = request["method"]
    try:
        if method == "PUT" and request["body"]:
            store(path, folder)
        elif method == "DELETE":
            os.unlink(path)
            respond(204)
        elif method not in ("GET", "HEAD"):
            respond(405, "notes know GET, HEAD, PUT and DELETE\n", [{"name": "Allow", "value": "GET, HEAD, PUT, DELETE"}])
        elif name == "latest":
            latest(folder, shelf)
        else:
            read(request, path)
    except FileNotFoundError:
        respond(404, "no such note\n")


def main():
    try:
        request = receive()
        if request["version"] != VERSION:
            send("fail", version=VERSION, kind="protocolViolation", detail="the version is not known", isPermanent=True)
            return
        answer(request, sys.argv[1])
    except (Gone, BrokenPipeError):
        # Nothing to tidy up: a note that was not stored has no name.
        os._exit(0)
    except OSError as error:
        send("fail", version=VERSION, kind="localIO", detail=error.strerror or "the shelf cannot be read")


main()
