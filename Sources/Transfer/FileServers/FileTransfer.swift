internal import CurlKit
internal import SystemKit
package import TransferModel

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

/// The facts about a file that a file server gives before it sends the file.
package struct FileFacts: Hashable {
    /// nil when the server does not say it.
    package var size: Int64?
    /// Seconds since 1970; nil when the server does not say it.
    package var modified: Int64?

    /// Creates facts; nil for a fact that the server does not give.
    package init(size: Int64? = nil, modified: Int64? = nil) {
        self.size = size
        self.modified = modified
    }

    /// The length of the body that begins at an offset; nil if unknown.
    func length(from offset: Int64) -> Int64? {
        size.flatMap { $0 >= offset ? $0 - offset : nil }
    }

    /// The facts as the head of a response, as the Fetch standard makes one of a local file: 200,
    /// or 206 for the rest of a file.
    package func head(from offset: Int64) -> ResponseHead {
        var fields: [HeaderField] = []
        if let length = length(from: offset) {
            fields.append(HeaderField(name: "Content-Length", value: String(length)))
        }
        if let modified, let date = Self.text(of: modified) {
            fields.append(HeaderField(name: "Last-Modified", value: date))
        }
        guard offset > 0 else {
            return ResponseHead(statusCode: 200, fields: HeaderFields(fields))
        }
        if let size, size > offset {
            let range = "bytes \(offset)-\(size - 1)/\(size)"
            fields.append(HeaderField(name: "Content-Range", value: range))
        }
        return ResponseHead(statusCode: 206, fields: HeaderFields(fields))
    }

    /// A date in the form of HTTP (RFC 9110 §5.6.7); nil beyond its years.
    private static func text(of seconds: Int64) -> String? {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekdays[Int(days % 7)]), \(two(date.day)) \(months[Int(date.month) - 1]) "
            + "\(date.year) \(clock) GMT"
    }
}

/// The names of a file that is sent to a file server: a temporary name until the server has the
/// whole file, then the URL's name.
struct UploadNames {
    /// The URL under which the bytes are sent.
    let temporaryURL: String
    /// The commands that rename the file, for libcurl.
    let commands: [String]

    /// The most bytes of the final name in the temporary one, within the 255 bytes of a name.
    private static let mostBytes = 200

    /// `token` makes the name different each time; letters and digits.
    init(of url: TransferURL, token: String = Self.makeToken()) {
        let path = url.decodedPath
        let slash = UInt8(ascii: "/")
        let start = path.lastIndex(of: slash).map { $0 + 1 } ?? 0
        let name = path[start...]
        let folder = path[..<start]
        let temporary = Array(".".utf8) + name.prefix(Self.mostBytes) + ".\(token).part".utf8
        let sent = folder + temporary
        temporaryURL =
            url.origin.text
            + PercentCoding.encode(String(decoding: sent, as: UTF8.self)) {
                $0.isUnreserved || $0 == slash
            }
        if url.origin.scheme == .sftp {
            let home = Array("/~/".utf8)
            let base = folder.dropFirst(folder.starts(with: home) ? home.count : 0)
            let (from, to) = (Self.quoted(base + temporary), Self.quoted(base + name))
            // Servers of SSH rename no file over another one.
            commands = ["*rm \(to)", "rename \(from) \(to)"]
        } else {
            // The connection is in the file's folder.
            commands = [
                "RNFR \(String(decoding: temporary, as: UTF8.self))",
                "RNTO \(String(decoding: name, as: UTF8.self))",
            ]
        }
    }

    /// 60 random bits in letters and digits.
    private static func makeToken() -> String {
        String(UInt64.random(in: (1 << 59)..<(1 << 60)), radix: 36)
    }

    /// A path in quotation marks, as libcurl reads it in a command of SFTP.
    private static func quoted(_ path: some Sequence<UInt8>) -> String {
        var result = Array("\"".utf8)
        for byte in path {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "'")
            {
                result.append(UInt8(ascii: "\\"))
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self) + "\""
    }
}
