internal import SystemKit
internal import TransferModel

extension TransferFailure {
    /// Advises about the usual causes, unless there is better advice.
    mutating func adviseUsual() {
        if help == nil { help = usualHelp }
    }

    /// Advises about the limit of time that the failure names, unless there is better advice.
    mutating func adviseLongerLimit() {
        guard help == nil, let key = decidingKey.last else { return }
        help = "find out what delays the server or the network, or raise `\(key)`"
    }

    private var usualHelp: String? {
        switch kind {
        case .resolve where namesProxy:
            "check the name of the proxy's host"
        case .resolve:
            "check the host's name in the URL; if it is right, check this machine's DNS"
        case .connect where osErrno == Self.refused:
            "check the host and the port; the server may not be running"
        case .connect where [101, 113].contains(osErrno):
            "check this machine's network, its routes and its firewall"
        case .timeout where [.resolve, .connect].contains(phase):
            "the \(namesProxy ? "proxy" : "host") may be down, or a firewall "
                + "may drop the packets"
        case .timeout where phase == .tls && curlCode != nil:
            "check the port: it may not speak TLS"
        case .tls where detail.hasByteSuffix("does not speak TLS on this port"):
            "the port may speak plain HTTP: write `http://`, or use the server's port for TLS"
        case .tls where curlCode == 77 && detail.hasByteSuffix("holds no PEM certificate"):
            "name a file of PEM certificates in `tls.caFile`"
        case .tls where curlCode == 77: "install the package `ca-certificates`"
        case .protocolViolation where detail.hasByteSuffix(ExchangeEnd.noResponse):
            "the server does not speak HTTP on this port; if it speaks TLS, write `https://`"
        case .localIO: usualHelpOfFile
        default: nil
        }
    }

    private var usualHelpOfFile: String? {
        switch osErrno {
        case 1, 13: "give the user who runs the job this permission, or choose another path"
        case 2: "check the path"
        case 16 where urlError == .cannotWriteToFile:
            "the file is a mount point, which no file replaces: mount its folder instead, or choose "
                + "another path"
        case 20: "a part of the path is a file: choose another path"
        case 21 where urlError == .cannotWriteToFile:
            "name a file; a folder's path ends with `/`, and the server names the file in it"
        case 21: "name a file in the folder"
        case 28, 122: "free some space, or choose another file system"
        case 30: "the file system is read-only: choose another path"
        case 40: "remove the loop of symbolic links"
        default: nil
        }
    }

    /// `ECONNREFUSED`.
    private static let refused = 111

    /// The advice about a 401 response to a request with a field `Authorization` of the job.
    static let refusedAuthorization = "the server refused the request's `Authorization` header"

    /// The advice about a 401 response to a request to which the runner added no credentials.
    ///
    /// `key` is the name of a field of the job that may hold a key; nil without one. `inBody` says
    /// whether the body may hold credentials, as the body of a login form does.
    static func missingCredentials(key: String?, inBody: Bool) -> String {
        let own =
            key.map { "if the header `\($0)` carries the key, check that key" }
            ?? (inBody ? "if the body has a user and a password, check both" : nil)
        guard let own else {
            return "the request had no credentials: give the session `credentials` for this host"
        }
        return "runner added no credentials: \(own); otherwise give the session `credentials` for "
            + "this host"
    }

    /// The key that decides about a failure of the proxy.
    static let proxyKey = ["proxy"]

    /// Whether the failure is the proxy's own, and says so.
    var namesProxy: Bool { decidingKey == Self.proxyKey }
}

extension HeaderField {
    /// Fields of requests that never hold a key, in lower case.
    private static let keyless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
        "connection", "content-type", "date", "expect", "from", "host", "idempotency-key",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "origin", "pragma", "prefer", "priority", "range", "referer", "te", "traceparent",
        "tracestate", "user-agent", "via", "x-request-id",
    ]

    /// Whether a field of the job may hold a key or a token.
    var mayHoldKey: Bool {
        let name = name.lowercased()
        return !Self.keyless.contains(name) && !name.hasBytePrefix("content-")
    }
}
