"""pyftpdlib on 127.0.0.1: ftp-server.py PORT FOLDER LOG TLS [CERTIFICATE KEY].

TLS is `none`, `explicit` (refuses logins and files without it) or `implicit`; for files of FOLDER itself it begins
behind the command for the file, as with vsftpd, and the replies before are late. The user `ada` with `hunter2hunter2` and
anonymous users see FOLDER. LOG gets a line for each command but PASS. The beginning of a file's name decides its
fault: `cut` files break off once after a half, `odd` files have the size -5, `mute` files have no size and end after
1,000 bytes, `bare` files have no size and end their TLS without a notification, `busy` files are refused once with 450,
`shut` files close the control connection, and `lost` files reset it instead of the reply 226.
"""

import os
import socket
import struct
import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.filesystems import AbstractedFS
from pyftpdlib.handlers import FTPHandler, PassiveDTP
from pyftpdlib.servers import FTPServer

port, folder, log, tls = int(sys.argv[1]), sys.argv[2], open(sys.argv[3], "a", buffering=1), sys.argv[4]
seen = set()


def is_first(name):
    if name in seen:
        return False
    seen.add(name)
    return True


class Cut:
    """A file that cannot be read behind its half."""

    def __init__(self, file):
        self.file, self.name, self.closed = file, file.name, False
        self.left = os.path.getsize(file.name) // 2

    def read(self, count):
        if self.left == 0:
            raise OSError("cut")
        piece = self.file.read(min(count, self.left))
        self.left -= len(piece)
        return piece

    def seek(self, *where):
        return self.file.seek(*where)

    def close(self):
        self.closed = True
        self.file.close()


class Short(Cut):
    """A file that ends after 1,000 bytes."""

    def read(self, count):
        self.left = min(self.left, 1000 - self.file.tell())
        return self.file.read(min(count, self.left))


class Files(AbstractedFS):
    def open(self, filename, mode):
        file = super().open(filename, mode)
        name = os.path.basename(filename)
        if name.startswith("mute") and mode == "rb":
            return Short(file)
        return Cut(file) if name.startswith("cut") and mode == "rb" and is_first(name) else file


class LatePassive(PassiveDTP):
    """Takes the connection for the file when the file was asked for."""

    waiting = None
    is_due = False

    def handle_accepted(self, sock, addr):
        # pyftpdlib itself loses bytes of long uploads that come at once with the handshake.
        if self.is_due or self.cmd_channel.fs.cwd != "/":
            return super().handle_accepted(sock, addr)
        self.waiting = sock, addr

    def accept_now(self):
        self.is_due = True
        if self.waiting:
            super().handle_accepted(*self.waiting)


if tls == "none":
    Base = FTPHandler
else:
    from pyftpdlib.handlers import TLS_FTPHandler as Base

    Base.certfile, Base.keyfile = sys.argv[5], sys.argv[6]
    Base.tls_control_required = Base.tls_data_required = True
    Base.passive_dtp = LatePassive

    class Bare(Base.dtp_handler):
        def close(self):
            self._ssl_established = self._ssl_established and not self.cmd_channel.is_bare
            super().close()

    Base.dtp_handler = Bare


class Handler(Base):
    use_sendfile = False
    abstracted_fs = Files
    loses = is_bare = False

    def handle(self):
        if tls == "implicit":
            self.secure_connection(self.ssl_context)
        super().handle()

    def pre_process_command(self, line, cmd, arg):
        log.write(cmd + "\n" if cmd == "PASS" else f"{cmd} {arg}".strip() + "\n")
        super().pre_process_command(line, cmd, arg)

    def ftp_TYPE(self, kind):
        self.reply_late(super().ftp_TYPE, kind)

    def ftp_SIZE(self, path):
        if os.path.basename(path).startswith(("mute", "bare")):
            return self.respond("502 No sizes.")
        if os.path.basename(path).startswith("odd"):
            return self.respond("213 -5")
        self.reply_late(super().ftp_SIZE, path)

    def reply_late(self, command, argument):
        if tls == "none":
            return command(argument)
        self.ioloop.call_later(0.02, command, argument)

    def ftp_STOR(self, file, mode="w"):
        self.begin_file()
        return super().ftp_STOR(file, mode)

    def begin_file(self):
        if isinstance(self._dtp_acceptor, LatePassive):
            self._dtp_acceptor.accept_now()

    def respond(self, resp, **more):
        if not self.loses or not resp.startswith("226"):
            return super().respond(resp, **more)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def ftp_RETR(self, file):
        name = os.path.basename(file)
        self.loses = name.startswith("lost") and is_first(name)
        self.is_bare = name.startswith(("mute", "bare"))
        if name.startswith("busy") and is_first(name):
            return self.respond("450 Come back later.")
        if name.startswith("shut") and is_first(name):
            self.respond("421 Shutting down.")
            return self.close_when_done()
        result = super().ftp_RETR(file)
        self.begin_file()
        return result


authorizer = DummyAuthorizer()
authorizer.add_user("ada", "hunter2hunter2", folder, perm="elradfmwMT")
authorizer.add_anonymous(folder)
Handler.authorizer = authorizer
server = FTPServer(("127.0.0.1", port), Handler)
print("ready", flush=True)
server.serve_forever(handle_exit=False)
