internal import TransferModel

extension TransferFailure {
    /// Advises about the usual causes, unless there is better advice.
    mutating func adviseUsual() {
        if help == nil { help = usualHelp }
    }

    private var usualHelp: String? {
        switch kind {
        case .resolve where detail.contains("proxy"):
            "check the name of the proxy's host"
        case .resolve:
            "check the host's name in the URL; if it is right, check this machine's DNS"
        case .connect where osErrno == Self.refused:
            "check the host and the port; the server may not be running"
        case .connect where [101, 113].contains(osErrno):
            "check this machine's network, its routes and its firewall"
        case .timeout where [.resolve, .connect].contains(phase):
            "the host may be down, or a firewall may drop the packets"
        case .tls where detail.hasSuffix("does not speak TLS on this port"):
            "the port may speak plain HTTP: write `http://`, or use the server's port for TLS"
        case .tls where curlCode == 77:
            "check `tls.caFile`, or install the package `ca-certificates`"
        case .protocolViolation where detail.contains("HTTP/0.9"):
            "the server does not speak HTTP on this port; if it speaks TLS, write `https://`"
        case .localIO: usualHelpOfFile
        default: nil
        }
    }

    private var usualHelpOfFile: String? {
        switch osErrno {
        case 1, 13: "give the user who runs the job this permission, or choose another path"
        case 2: "check the path"
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

    /// The advice about a 401 response to a request without credentials.
    static let missingCredentials =
        "the request had no credentials: give the session `credentials` for this host"
}
