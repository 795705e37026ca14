internal import CurlKit
internal import TransferModel

/// The failure when this machine's libcurl lacks the HTTP version that a session requires.
struct ProtocolFault: Error, Hashable {
    /// A whole sentence without its full stop.
    var message: String
}

extension HTTPProtocol {
    /// The newest version that a session's exchanges offer over TLS.
    ///
    /// With a libcurl that may report a cut stream as complete, `automatic` is HTTP/1.1: there
    /// `StreamTrust` makes HTTP/2 cost a second request for each body of unknown length.
    ///
    /// - Throws: `ProtocolFault` for a version that the job demands by number and libcurl lacks.
    static func choose(
        for session: SessionConfiguration,
        with library: CurlLibrary
    ) throws(ProtocolFault) -> HTTPProtocol {
        switch session.httpVersion {
        case .http1: return .http1
        case .automatic: return library.hasHTTP2 && library.isHTTP2Safe ? .http2 : .http1
        case .http2:
            guard library.hasHTTP2 else { throw fault(session, library, "is built without HTTP/2") }
            return .http2
        case .http3:
            guard library.hasHTTP3 else { throw fault(session, library, "is built without HTTP/3") }
            return .http3
        }
    }

    private static func fault(
        _ session: SessionConfiguration,
        _ library: CurlLibrary,
        _ reason: String
    ) -> ProtocolFault {
        ProtocolFault(
            message: "session `\(session.name)` has `httpVersion` \(session.httpVersion.rawValue), "
                + "but libcurl \(library.version) \(reason)"
        )
    }
}
