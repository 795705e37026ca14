internal import SystemKit
internal import TransferModel

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
