internal import CSystem
internal import Glibc

/// Another process of this machine, which is the same one for as long as this object lives,
/// whatever becomes of its number.
package final class RunningProcess: Sendable {
    private let descriptor: Int32
    private let subject: String

    /// Takes hold of the process that has a number now.
    ///
    /// - Throws: What pidfd_open(2) says; `ESRCH` when there is none.
    package init(_ identifier: Int32) throws(SystemError) {
        subject = "process \(identifier)"
        let descriptor = csystem_pidfd(identifier)
        guard descriptor >= 0 else { throw .last("find", subject) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Asks it to end; nothing happens when it has ended.
    ///
    /// - Throws: What pidfd_send_signal(2) says, such as `EPERM` of a process of another user.
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
