internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The transfer of the hop's file by FTP or SFTP: its login, and the response that the server's
/// facts about the file stand for.
///
/// The steps after a response of HTTP, such as checks, resumption and publication, follow this
/// response, too. Lives on its engine's thread.
final class FileTransfer {
    /// The name of the protocol: the URL's scheme.
    let scheme: Origin.Scheme
    /// The transfer for libcurl.
    private(set) var easy: EasyFileTransfer
    /// The server's replies; none from servers of SSH.
    var replies = FTPReplies()
    /// The lines of the session's `knownHosts` for the server of SSH, once they are read.
    private var reading: KnownHostsReadings.Reading?
    var knownHosts: KnownHosts? { reading?.hosts }
    /// When the last handshake that libcurl does without a return is too late.
    var handshakeEnd: MonotonicTime?
    /// Whether the response was judged, which happens before its first byte.
    private(set) var isJudged = false

    /// A body in memory, and how much of it was read; libcurl copies bodies of HTTP alone.
    private var memory: (bytes: [UInt8], offset: Int)?

    /// Chooses the login for a URL; nil for the URL of another kind of server.
    init?(_ url: HTTPURL, in session: SessionConfiguration, silence: Duration?) {
        guard url.isOfFileServer else { return nil }
        scheme = url.origin.scheme
        easy = EasyFileTransfer(
            scheme: scheme.rawValue,
            login: Self.login(for: url.origin, among: session.credentials),
            requiresTLS: scheme == .ftps || scheme == .ftp && session.ftp?.tls != .never,
            // The exchange's own watch ends silence; libcurl blocks its thread for some replies. It
            // judges a wait before it reads the replies that came while another server held the
            // thread, which may take a minute.
            replyTimeout: 60 + Int(max(1, min(60, (silence?.microseconds ?? .max) / 1_000_000)))
        )
        easy.hostKey = session.ssh?.hostKey
    }

    /// The first login of a session for an origin: in its own words, then for every port of its
    /// host.
    private static func login(
        for origin: Origin,
        among credentials: [Credential]
    ) -> EasyFileTransfer.Login {
        for credential in credentials where credential.space.contains(origin) {
            switch credential.proof {
            case .basic(let login):
                return login.password.withText { .password(user: login.user, password: $0) }
            case .ssh(let identity) where origin.scheme == .sftp:
                return .key(
                    user: identity.user,
                    file: identity.key,
                    password: identity.password.map { $0.withText { $0 } }
                )
            default: break
            }
        }
        return .anonymous
    }

    /// Whether commands and files are encrypted by TLS.
    var usesTLS: Bool { easy.requiresTLS }

    /// Prepares for an exchange that begins at an offset.
    func begin(at offset: Int64) {
        easy.offset = offset
        replies = FTPReplies()
        handshakeEnd = nil
        isJudged = false
    }

    /// Reads the lines of the session's `knownHosts` for the server, which may have changed since
    /// the last attempt.
    func readKnownHosts(of url: HTTPURL, in session: SessionTransport) throws(SystemError) {
        guard scheme == .sftp, let path = session.configuration.ssh?.knownHosts else { return }
        reading = try session.knownHosts.reading(of: path, for: url.origin)
        easy.knownHosts = reading?.lines.path
    }

    /// Lets a request send its body under a temporary name; the URL's name replaces it when the
    /// server has the whole body.
    func willSend(_ request: EasyRequest, to url: HTTPURL) {
        let names = UploadNames(of: url)
        request.url = names.temporaryURL
        request.requiresFreshConnection = true
        easy.commands = names.commands
        easy.asksForTime = false
        memory = nil
        if case .bytes(let bytes) = request.body {
            memory = (bytes, 0)
            request.body = .stream(size: Int64(bytes.count))
        }
    }

    /// Gives the next piece of a body in memory; nil for another body.
    func readMemory(into buffer: inout MutableRawSpan) -> Int? {
        guard let (bytes, offset) = memory else { return nil }
        let count = buffer.update(from: bytes.span.extracting(droppingFirst: offset))
        memory?.offset += count
        return count
    }

    /// Begins a body in memory anew.
    func rewindMemory() { memory?.offset = 0 }

    /// Judges the response before its body; false when its body is not wanted.
    func judge(_ exchange: Exchange) -> Bool {
        isJudged = true
        let size: Int64?
        if exchange.carriesBody {
            // The confirmation of an upload, which has no content.
            size = 0
        } else if scheme == .sftp {
            size = exchange.handle.announcedLength.map { $0 + easy.offset }
        } else {
            size = replies.size
        }
        let modified = exchange.carriesBody ? nil : exchange.handle.fileTime
        let file = FileFacts(size: size, modified: modified)
        let head = file.head(from: easy.offset)
        exchange.response.head = head
        exchange.response.parser.assume(length: file.length(from: easy.offset))
        exchange.recorder.didReceiveHead(count: 0, isFinal: true, at: exchange.move())
        exchange.recorder.didReceive(head)
        return exchange.receive(head)
    }
}
