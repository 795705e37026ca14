"""Runs a program whose sockets may not be bound to interfaces: setsockopt(2) refuses SO_BINDTODEVICE and, unless only names are
meant, SO_BINDTOIFINDEX.

refuse-binding.py all|names PROGRAM ARGUMENT...
"""

import ctypes
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | 1  # EPERM
SOL_SOCKET = 1
SO_BINDTODEVICE = 25
SO_BINDTOIFINDEX = 62
SETSOCKOPT = {"x86_64": 54, "aarch64": 208}[platform.machine()]

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
# struct seccomp_data: the number of the call, then its arguments at 16, 24, 32, the lower half first.
def instructions(last):
    return [
        (LOAD, 0, 0, 0),
        (EQUAL, 0, 6, SETSOCKOPT),
        (LOAD, 0, 0, 24),
        (EQUAL, 0, 4, SOL_SOCKET),
        (LOAD, 0, 0, 32),
        (EQUAL, 1, 0, SO_BINDTODEVICE),
        (EQUAL, 0, 1, last),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]


def main():
    lines = instructions({"all": SO_BINDTOIFINDEX, "names": SO_BINDTODEVICE}[sys.argv[1]])
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    memory = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(memory)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    os.execvp(sys.argv[2], sys.argv[2:])


main()
