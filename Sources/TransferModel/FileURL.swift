internal import SystemKit

/// A parsed `file` URL (RFC 8089): the absolute path of a file of this machine.
package struct FileURL: Sendable, Hashable {
    /// Absolute, without escapes.
    package let path: String
    /// The URL as `file:///path`, in ASCII.
    package let text: String

    /// Whether a text begins with `file:`, in any case.
    package static func isMeant(by text: String) -> Bool {
        text.utf8.starts(with: "file:".utf8) { $0.asciiLowercased == $1 }
    }

    /// Parses a URL.
    package init(_ text: String) throws(FileURLFault) {
        guard Self.isMeant(by: text) else { throw .otherScheme }
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case 0..<0x20, 0x7F, UInt8(ascii: "\\"): throw .badCharacter(offset: offset)
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                throw .delimiter(Character(Unicode.Scalar(byte)))
            default: break
            }
        }
        let written = try Self.path(of: text.utf8.dropFirst(5))
        var segments: [[UInt8]] = []
        for segment in written.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ) {
            guard let bytes = PercentCoding.decode(segment), !bytes.contains(0),
                !bytes.contains(UInt8(ascii: "/"))
            else { throw .badEscape }
            if bytes.elementsEqual("..".utf8) { throw .parent }
            segments.append(bytes)
        }
        guard segments.last?.isEmpty == false else { throw .folder }
        guard let path = String(validating: segments.joined(separator: "/".utf8), as: UTF8.self)
        else { throw .badEscape }
        self.path = path
        self.text =
            "file://"
            + PercentCoding.encode(path, keeping: \.isPathByte)
    }

    /// The path after the authority, if there is one.
    private static func path(of rest: Substring.UTF8View) throws(FileURLFault) -> Substring.UTF8View
    {
        guard rest.starts(with: "//".utf8) else {
            guard rest.first == UInt8(ascii: "/") else { throw .relativePath }
            return rest
        }
        let authority = rest.dropFirst(2)
        guard let slash = authority.firstIndex(of: UInt8(ascii: "/")) else { throw .relativePath }
        let host = authority[..<slash].map(\.asciiLowercased)
        guard host.isEmpty || host.elementsEqual("localhost".utf8) else { throw .otherHost }
        return authority[slash...]
    }

    /// The path relative to a folder; nil for a path elsewhere.
    package func path(below folder: String) -> String? {
        let front = folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
        guard path.utf8.count > front.utf8.count, path.hasBytePrefix(front) else { return nil }
        let rest = path.utf8.dropFirst(front.utf8.count).drop { $0 == UInt8(ascii: "/") }
        return rest.isEmpty ? nil : String(Substring(rest))
    }
}

/// Why a text is not a usable `file` URL.
package enum FileURLFault: Error, Hashable {
    /// The text does not begin with `file:`.
    case otherScheme
    /// A host other than `localhost`, whose files another machine has.
    case otherHost
    /// No slash begins the path.
    case relativePath
    /// The path ends in a slash.
    case folder
    /// A segment `..`, which leads to the parent.
    case parent
    /// A query or a fragment, which no file has.
    case delimiter(Character)
    /// A `%` without two hexadecimal digits, or the escape of a slash, of NUL or of bytes that
    /// are not UTF-8.
    case badEscape
    /// A control character or backslash at this UTF-8 offset.
    case badCharacter(offset: Int)
}
