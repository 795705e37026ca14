import SystemKit

/// A one-time event: threads wait for it, and `open` lets them and all later ones pass.
///
/// It is the read end of a pipe whose write end closes, so that a server can wait for the gate and
/// its peer in one `poll`.
package final class Gate: Sendable {
    let descriptor: Descriptor
    private let writeEnd: Lock<Descriptor?>

    /// Creates a closed gate; throws the error of pipe(2).
    package init() throws {
        let (read, write) = try Descriptor.pipe()
        descriptor = read
        writeEnd = Lock(write)
    }

    /// Lets all threads pass; opening the gate again does nothing.
    package func open() {
        writeEnd.withLock { $0 = nil }
    }

    /// Waits until the gate is open.
    package func wait(for interval: Duration = Deadline.guardInterval) throws(GuardTimeout) {
        let deadline = Deadline(after: interval)
        if Readiness.wait(for: [.readable(descriptor)], until: deadline) == nil {
            throw GuardTimeout("a gate to open")
        }
    }

    /// Whether the gate is open.
    package var isOpen: Bool {
        Readiness.wait(for: [.readable(descriptor)], until: Deadline(after: .zero)) != nil
    }
}
