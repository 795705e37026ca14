import SystemKit
import TransferModel

/// The process that waits until a detached run holds its locks.
struct Waiter {
    /// The first words of the detached run.
    static let begun = "begun\n"
    /// The words before the path of the report; the detached run then holds its locks.
    static let ready = "ready "

    private let pipe: ReadyPipe?

    /// Tells the waiting process that the detached run is this process.
    ///
    /// - Parameter descriptor: The pipe to the waiting process; nil when no process waits.
    /// - Throws: `Exit` when the waiting process has ended.
    init(descriptor: Int32?) throws(Exit) {
        pipe = descriptor.map { ReadyPipe(descriptor: $0) }
        try say(Self.begun)
    }

    /// Tells the waiting process that the run begins, with the path of the report.
    ///
    /// - Throws: `Exit` when the waiting process has ended.
    func runBegins(reportPath: String) throws(Exit) {
        try say("\(Self.ready)\(reportPath)\n")
        pipe?.end()
    }

    /// A waiting process that ends before the run begins cancels the run.
    private func say(_ text: String) throws(Exit) {
        guard let pipe, !pipe.say(text) else { return }
        throw Exit(.interrupted, "the process that started this run ended before the run began")
    }
}
