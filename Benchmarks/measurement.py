"""What a program takes."""

import os
import subprocess
import time
import typing


class Measurement(typing.NamedTuple):
    """What one child process took: wall and CPU time in seconds, largest resident set in MiB."""

    wall: float
    cpu: float
    memory: float


def measure(command):
    """Runs a command and returns its measurement, exit code and messages.

    To be called in a process that is small: a child's largest resident set includes what it had before `exec`, a
    copy of its parent.
    """
    before = time.monotonic()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    messages = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - before
    child.returncode = os.waitstatus_to_exitcode(status)
    measurement = Measurement(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    return measurement, child.returncode, messages.decode(errors="replace")
