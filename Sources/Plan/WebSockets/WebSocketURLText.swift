internal import Diagnostics
internal import TransferModel

/// The URL of a WebSocket task: absolute, ws or wss, without user information (RFC 6455 §3).
///
/// Its request is one over http or https, and so is the URL that the plan keeps.
enum WebSocketURLText {
    static let pattern = "^[wW][sS]{1,2}://"

    static func parse(_ text: String) throws(ValueFault) -> TransferURL {
        guard let scheme = scheme(of: text) else { throw fault(text) }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw ValueFault(
                .badURL,
                "the URL of a WebSocket has no fragment (RFC 6455 §3)",
                help: "write `%23` for the character `#`"
            )
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return try URLText.parse((scheme == "wss" ? "https" : "http") + (String(rest) ?? ""))
    }

    /// `ws` or `wss` in front of `://`, in any case; nil for another beginning.
    private static func scheme(of text: String) -> String? {
        ["wss", "ws"].first { text.prefix($0.count + 3).lowercased() == $0 + "://" }
    }

    private static func fault(_ text: String) -> ValueFault {
        let isHTTP = ["https", "http"].first {
            text.prefix($0.count + 3).lowercased() == $0 + "://"
        }
        let likely = isHTTP.map { scheme in
            (scheme == "https" ? "wss" : "ws")
                + (String(text.utf8.dropFirst(scheme.utf8.count)) ?? "")
        }
        return ValueFault(
            .badURL,
            "`\(text.excerpt)` is not the URL of a WebSocket",
            likely: likely,
            help: "begin with `wss://` or `ws://`"
        )
    }
}
