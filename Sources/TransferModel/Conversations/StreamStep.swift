/// The conversation of a stream task: bytes over a TCP connection, step by step.
///
/// A class, because it is immutable and passed on often.
package final class StreamSpec: Sendable {
    /// Whether the connection has TLS from its beginning.
    package let isSecure: Bool
    /// The steps of the task, one after the other; at least one.
    package let steps: [StreamStep]

    /// The method in the records of stream tasks, which have no request.
    package static let method = "STREAM"

    /// The address of a stream with a URL of http or https.
    package static func address(_ url: String) -> String {
        for (scheme, name) in [("https:", "tls:"), ("http:", "tcp:")] {
            guard url.utf8.starts(with: scheme.utf8) else { continue }
            var address = name + (String(url.utf8.dropFirst(scheme.utf8.count)) ?? "")
            if address.utf8.last == UInt8(ascii: "/") { address.removeLast() }
            return address
        }
        return url
    }

    /// Creates a conversation.
    package init(isSecure: Bool, steps: [StreamStep]) {
        self.isSecure = isSecure
        self.steps = steps
    }
}

extension TransactionMetrics.SentRequest {
    /// The same record with the address of a stream: `tcp` for http, `tls` for https.
    package var overStream: Self {
        Self(method: method, url: StreamSpec.address(url), headers: headers)
    }
}

/// One step of a stream's conversation.
package struct StreamStep: ConversationStep, Hashable {
    /// The action of a step.
    package enum Action: Sendable, Hashable {
        /// Sends bytes.
        case write(StepContent)
        /// Takes bytes that arrive.
        case read(StreamReading)
        /// Begins TLS on the open connection (`URLSessionStreamTask.startSecureConnection`).
        case startSecureConnection
        /// Tells the peer that nothing more will be sent.
        case closeWrite
        /// Drops all bytes that arrive from now on.
        case closeRead
    }

    /// The names of the steps in job files and reports.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case write
        case read
        case startSecureConnection
        case closeWrite
        case closeRead
    }

    /// The action of the step.
    package var action: Action
    /// The longest duration of the step; nil for no limit but those of the task.
    package var timeout: Duration?

    /// Creates a step.
    package init(_ action: Action, timeout: Duration? = nil) {
        self.action = action
        self.timeout = timeout
    }

    /// The name of the step's key, also in reports.
    package var name: Name {
        switch action {
        case .write: .write
        case .read: .read
        case .startSecureConnection: .startSecureConnection
        case .closeWrite: .closeWrite
        case .closeRead: .closeRead
        }
    }
}

/// How a `read` step takes bytes.
package struct StreamReading: Sendable, Hashable {
    /// The end of the step.
    package enum End: Sendable, Hashable {
        /// After exactly so many bytes.
        case count(Int64)
        /// When at least so many bytes have arrived, of which the step takes a number at most
        /// (`URLSessionStreamTask.readData(ofMinLength:maxLength:timeout:)`).
        case range(ClosedRange<Int64>)
        /// After these bytes, which are not part of the result; at least one.
        case delimiter([UInt8])
        /// After the first line that a PCRE2 pattern matches; a line ends with LF or CRLF.
        case line(pattern: String)
        /// When the peer sends no more.
        case closed
    }

    /// The end of the step.
    package var end: End
    /// The most bytes of a step whose end does not say their number; nil for no limit.
    package var maximumSize: Int64?
    /// The whole text that must have arrived; nil for any.
    package var text: String?
    /// A PCRE2 pattern that must match somewhere in the bytes; nil for none.
    package var pattern: String?
    /// The values that later tasks use.
    package var captures: [Capture]
    /// Whether the bytes go into the file of the task.
    package var isForFile: Bool

    /// The most bytes that a step without a limit keeps in memory.
    package static let usualSize: Int64 = 1 << 20
    /// The most bytes that any step keeps in memory.
    package static let largestSize: Int64 = 64 << 20

    /// Creates a step that reads.
    package init(
        until end: End,
        maximumSize: Int64? = usualSize,
        text: String? = nil,
        pattern: String? = nil,
        captures: [Capture] = [],
        isForFile: Bool = false
    ) {
        self.end = end
        self.maximumSize = maximumSize
        self.text = text
        self.pattern = pattern
        self.captures = captures
        self.isForFile = isForFile
    }
}
