import Glibc

/// A file that is written from front to back and gets its final name when it is complete.
package protocol PublishableFile: AnyObject {
    /// Appends all of `bytes`.
    func write(_ bytes: Span<UInt8>) throws(FileFailure)
    /// Makes what was written durable and visible under the final name, all at once.
    ///
    /// Nothing may be written afterwards.
    func publish() throws(FileFailure)
}

/// A call on a file that the operating system refused.
package struct FileFailure: Error, Sendable, Hashable {
    /// What was attempted, such as `write`.
    package var operation: String
    package var path: String
    /// The `errno` of the call.
    package var code: Int32

    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// One sentence for people, without a full stop: `cannot write "out/report.json": No space left on device`.
    package var message: String {
        let reason = unsafe String(cString: strerror(code))
        return "cannot \(operation) \"\(path)\": \(reason)"
    }
}
