internal import JSON
package import TransferModel

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

    private static func message(
        _ name: String,
        _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", name)
        members(&writer)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
