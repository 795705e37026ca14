import Glibc

/// A signal that asks a process to end.
package enum StopSignal: Sendable, Hashable, CaseIterable {
    /// SIGINT: the terminal's interrupt key.
    case interrupt
    /// SIGTERM.
    case terminate
    /// SIGHUP: the terminal is gone.
    case hangUp

    /// The kernel's number.
    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    /// The signal with the kernel's number; nil for any other signal.
    package init?(number: Int32) {
        guard let signal = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = signal
    }
}
