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

    /// Chooses the login for the URL of a file server.
    init(for request: borrowing AttemptRequest, in session: SessionConfiguration) {
        let url = request.request.url
        scheme = url.origin.scheme
        let silence = request.timeoutInterval?.duration.microseconds ?? .max
        easy = EasyFileTransfer(
            scheme: scheme.rawValue,
            login: Self.login(for: url.origin, among: session.credentials),
            requiresTLS: scheme == .ftps || scheme == .ftp && session.ftp?.tls != .never,
            // The exchange's own watch ends silence; libcurl blocks its thread for some replies. It
            // judges a wait before it reads the replies that came while another server held the
            // thread, which may take a minute.
            replyTimeout: 60 + Int(max(1, min(60, silence / 1_000_000)))
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
    func readKnownHosts(of url: TransferURL, in session: SessionTransport) throws(SystemError) {
        guard scheme == .sftp, let path = session.configuration.ssh?.knownHosts else { return }
        reading = try session.knownHosts.reading(of: path, for: url.origin)
        easy.knownHosts = reading?.lines.path
    }

    /// Lets a request send its body under a temporary name; the URL's name replaces it when the
    /// server has the whole body.
    func willSend(_ request: EasyRequest, to url: TransferURL) {
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

    /// Notes that the response is judged; returns the facts about the file that it stands for.
    func judge(_ handle: EasyHandle, carriesBody: Bool) -> FileFacts {
        isJudged = true
        // The confirmation of an upload, which has no content.
        if carriesBody { return FileFacts(size: 0, modified: nil) }
        let size =
            scheme == .sftp
            ? handle.announcedLength.map { $0 + easy.offset } : replies.size
        return FileFacts(size: size, modified: handle.fileTime)
    }
}
