internal import Diagnostics
internal import TransferModel

/// Checks the settings of a stream task against each other; each setting is already valid by
/// itself.
enum StreamCheck {
    /// Reports steps that the connection of the task cannot have.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard draft.stream.isSecure else {
            return checkSecret(of: draft, at: place, &log)
        }
        if draft.stream.startsTLS {
            place.report(
                .conflictingKeys,
                "`startSecureConnection`\(place.context) and `secure: true` exclude each other",
                at: place.key("steps"),
                &log
            )
        }
        if draft.stream.steps.contains(where: { $0.action == .closeWrite }) {
            place.report(
                .conflictingKeys,
                "`closeWrite`\(place.context) and `secure: true` exclude each other",
                at: place.key("steps"),
                help: "in place of `secure: true`, begin with the step "
                    + "`startSecureConnection: true`, whose TLS ends each direction by itself",
                &log
            )
        }
    }

    /// Reports a secret that leaves before TLS begins, unless it stays on this machine.
    private static func checkSecret(
        of draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard draft.stream.startsTLS, let node = draft.stream.earlySecret,
            let url = draft.stream.connectionURL, !url.origin.isConfidential
        else { return }
        place.report(
            .secretOverPlainHTTP,
            "a secret\(place.context) leaves before TLS begins, so that others can read it",
            at: node,
            help: "move the step after `startSecureConnection`",
            &log
        )
    }
}

/// Checks the settings of a WebSocket task against each other; each setting is already valid by
/// itself.
enum WebSocketCheck {
    /// Reports header fields that the opening handshake makes, repeated subprotocols, and methods
    /// of credentials that open no WebSocket.
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
            guard let name = credential.proof.nameForConnections else { continue }
            place.report(
                .conflictingKeys,
                "credentials of the method `\(name)` open no WebSocket\(place.context)",
                at: place.key("url"),
                help: "they authenticate a connection of HTTP; use `basic`, `digest` or `bearer`",
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
    /// The name of a method that authenticates a connection, and not a request; nil for others.
    fileprivate var nameForConnections: String? {
        switch self {
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .basic, .digest, .bearer, .awsSigV4, .clientCertificate, .ssh, .netrc: nil
        }
    }
}
