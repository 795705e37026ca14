"""Runs a program for which the kernel refuses some calls with an error, as old kernels, sandboxes and file systems do (seccomp(2)).

refuse-calls.py ERROR CALLS PROGRAM ARGUMENT...

ERROR is the name of an errno value. CALLS are names of REFUSED, separated by commas.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
SOL_SOCKET, SO_BINDTODEVICE, SO_BINDTOIFINDEX = 1, 25, 62
O_TMPFILE = 0o20000000
NUMBERS = {
    "x86_64": {"setsockopt": 54, "openat": 257, "linkat": 265, "renameat2": 316, "flock": 73},
    "aarch64": {"setsockopt": 208, "openat": 56, "linkat": 37, "renameat2": 276, "flock": 32},
}[platform.machine()]
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06


# Each is a call and the conditions for its arguments: the argument's index, the comparison and its operand.
REFUSED = {
    "bind-to-name": ("setsockopt", [(1, EQUAL, SOL_SOCKET), (2, EQUAL, SO_BINDTODEVICE)]),
    "bind-to-index": ("setsockopt", [(1, EQUAL, SOL_SOCKET), (2, EQUAL, SO_BINDTOIFINDEX)]),
    "unnamed-files": ("openat", [(2, ANY, O_TMPFILE)]),
    "rename-flags": ("renameat2", [(4, ANY, 0xFFFFFFFF)]),
    "links": ("linkat", []),
    "locks": ("flock", []),
}


# struct seccomp_data: the number of the call, then from 16 on its arguments, of which the lower half comes first.
def instructions(names, error):
    for name in names:
        call, conditions = REFUSED[name]
        tests = [(0, EQUAL, NUMBERS[call])] + [(16 + 8 * index, *test) for index, *test in conditions]
        for position, (offset, comparison, operand) in enumerate(tests):
            yield (LOAD, 0, 0, offset)
            # Past the rest of the tests and the refusal.
            yield (comparison, 0, 2 * (len(tests) - position) - 1, operand)
        yield (RETURN, 0, 0, REFUSE | error)
    yield (RETURN, 0, 0, ALLOW)


def main():
    lines = list(instructions(sys.argv[2].split(","), getattr(errno, sys.argv[1])))
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    memory = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(memory)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    os.execvp(sys.argv[3], sys.argv[3:])


main()
