internal import JSON
package import TransferModel

/// The version and the bounds of the conversation with programs.
package enum ConversationLimits {
    /// The only version so far.
    package static let version: Int64 = 1
    /// The longest line without its line feed, bytes.
    package static let longestLine = 64 << 10
    /// The most header fields of a message.
    package static let mostFields = 128
    /// The most bytes after one `data` message.
    package static let largestPiece = 1 << 20
}

/// The response that a program gives to a request (`URLProtocolClient.urlProtocol(_:didReceive:)`).
package struct ProgramResponse: Sendable, Hashable {
    /// 200 to 599.
    package var statusCode: Int
    /// At most `ConversationLimits.mostFields`.
    package var headers: [HeaderField]
    /// The length of the body, bytes; nil when the program does not know it.
    package var expectedContentLength: Int64?
}

/// The redirect with which a program answers (`URLProtocolClient.urlProtocol(_:wasRedirectedTo:)`).
package struct ProgramRedirect: Sendable, Hashable {
    /// One of 301, 302, 303, 307 and 308.
    package var statusCode: Int
    /// The absolute URL of the next request.
    package var url: String
    /// The other fields of the redirect.
    package var headers: [HeaderField]
}

/// The failure that a program reports (`URLProtocolClient.urlProtocol(_:didFailWithError:)`).
package struct ProgramFailure: Sendable, Hashable {
    /// The kind, by which the runner decides about a retry.
    package var kind: TransferFailure.Kind
    /// One sentence for the user, on one line.
    package var detail: String
    /// Whether a retry cannot help.
    package var isPermanent: Bool

    /// The kinds that a program may report.
    package static let kinds: [TransferFailure.Kind] = [
        .resolve, .connect, .tls, .timeout, .stalled, .reset, .protocolViolation, .truncated,
        .localIO,
    ]
}

/// Why the output of a program is not a conversation.
package struct ProgramFault: Error, Sendable, Hashable {
    /// The number of the faulty message, from 1.
    package var message: Int
    /// The fault, in words without a final full stop.
    package var reason: String
}

/// The messages of the runner to a program, each a line of JSON.
package enum RunnerMessage {
    /// The length of a request's body, as the runner announces it.
    package enum Body: Sendable, Hashable {
        case none
        /// A body with a length in bytes; nil when the length is not known.
        case length(Int64?)
    }

    /// The request to answer; `data` messages with the body follow, and `finish`.
    package static func request(_ request: RequestSpec, _ body: Body) -> [UInt8] {
        message("request") { writer in
            writer.member("version", ConversationLimits.version)
            writer.member("method", request.method)
            let url = request.url.text
            writer.member("url", String(url.prefix { $0 != "#" }))
            writer.key("headers")
            writer.beginArray()
            for field in request.headers {
                writer.beginObject()
                writer.member("name", field.name)
                writer.member("value", field.value)
                writer.endObject()
            }
            writer.endArray()
            writer.key("body")
            switch body {
            case .none: writer.null()
            case .length(let length):
                writer.beginObject()
                writer.key("length")
                if let length { writer.integer(length) } else { writer.null() }
                writer.endObject()
            }
        }
    }

    /// The message before a piece of the request's body, of at most
    /// `ConversationLimits.largestPiece` bytes.
    package static func data(count: Int) -> [UInt8] {
        message("data") { $0.member("length", count) }
    }

    /// The end of the request's body.
    package static let finish = message("finish") { _ in }
    /// The request is no longer wanted; the end of the input follows.
    package static let cancel = message("cancel") { _ in }

    private static func message(_ name: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", name)
        members(&writer)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
