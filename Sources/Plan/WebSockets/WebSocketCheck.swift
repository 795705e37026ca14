internal import Diagnostics
internal import TransferModel

/// Checks what the settings of a WebSocket task, each right by itself, say together.
enum WebSocketCheck {
    /// Reports header fields that the opening handshake makes, repeated subprotocols, and methods
    /// of credentials that only libcurl's own requests obey.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        for (name, reason) in handshakeFields {
            place.reserve(name, reason, among: draft.headers, &log)
        }
        var known: Set<String> = []
        for name in draft.webSocket.subprotocols where !known.insert(name).inserted {
            place.report(
                .badValue,
                "`protocols`: the subprotocol `\(name)` is listed twice",
                at: place.key("protocols"),
                &log
            )
        }
        guard let origin = draft.url?.origin, !draft.headers.contains("Authorization") else {
            return
        }
        for credential in session?.credentials ?? [] where credential.space.contains(origin) {
            guard let name = credential.proof.nameOfDialogue else { continue }
            place.report(
                .notYetSupported,
                "credentials of the method `\(name)` are not supported yet for WebSockets"
                    + place.context,
                at: place.key("url"),
                help: "use `basic` or `bearer`",
                &log
            )
        }
    }

    /// The fields of the opening handshake (RFC 6455 §4.1), which no task sets by itself.
    private static let handshakeFields = [
        ("Sec-WebSocket-Key", "runner makes a new key for each connection"),
        ("Sec-WebSocket-Version", "runner speaks version 13"),
        ("Sec-WebSocket-Protocol", "list the subprotocols under `protocols`"),
        ("Sec-WebSocket-Extensions", "runner has no extension"),
        ("Sec-WebSocket-Accept", "it belongs to responses"),
    ]
}

extension Credential.Proof {
    /// The name of a method that needs several requests over one connection; nil for others.
    fileprivate var nameOfDialogue: String? {
        switch self {
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .basic, .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: nil
        }
    }
}
