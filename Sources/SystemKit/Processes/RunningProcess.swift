internal import CSystem
internal import Glibc

/// Another process of this machine, identified beyond the reuse of its number.
package final class RunningProcess: Sendable {
    private let descriptor: Int32
    private let subject: String

    /// Opens the process that currently has a number.
    ///
    /// - Throws: The error of pidfd_open(2); `ESRCH` without such a process.
    package init(_ identifier: Int32) throws(SystemError) {
        subject = "process \(identifier)"
        let descriptor = csystem_pidfd(identifier)
        guard descriptor >= 0 else { throw .last("find", subject) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends the process a stop signal; does nothing when it has ended.
    ///
    /// - Throws: The error of pidfd_send_signal(2), such as `EPERM` for a process of another user.
    package func send(_ signal: StopSignal) throws(SystemError) {
        guard csystem_pidfd_signal(descriptor, signal.number) != 0, errno != ESRCH else { return }
        throw .last("stop", subject)
    }

    /// Waits for its end until `deadline`, a reading of `CLOCK_MONOTONIC` in nanoseconds; false
    /// when it still runs then.
    package func waitForEnd(until deadline: Int64) -> Bool {
        while true {
            let left = Clock.milliseconds(until: deadline)
            var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&end, 1, left) > 0 { return true }
            if left == 0 { return false }
        }
    }
}
