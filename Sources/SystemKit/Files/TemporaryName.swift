/// A temporary file name such as `.file.bin.TOKEN.part`, recognizable as this program's.
///
/// The token has a random number and a hash of that number, the name and the file (`st_ino`), in
/// base 36. So a later process can tell the file from a copy or a file with a similar name.
package enum TemporaryName {
    /// The number in the names of empty files and folders, before they get names with their own
    /// number; no file has this number.
    static let ofEmptyFile: UInt64 = 0
    private static let ending = ".part"
    /// The number of digits for 32 and 64 bits.
    private static let (nonceLength, hashLength) = (7, 13)
    /// The most bytes of the final name, within the 255 bytes of a name.
    private static let mostBytes = 200

    /// Makes a name for a file.
    ///
    /// - Parameters:
    ///   - name: The final name.
    ///   - inode: The file's number (`st_ino`).
    /// - Returns: A different name each time.
    package static func make(for name: String, inode: UInt64) -> String {
        var generator = SystemRandomNumberGenerator()
        let stem = String(decoding: name.utf8.prefix(mostBytes), as: UTF8.self)
        let nonce = digits(UInt64(generator.next() as UInt32), nonceLength)
        return ".\(stem).\(nonce)\(hash(nonce, stem, inode))\(ending)"
    }

    /// Whether a text has the form of a temporary name.
    package static func isWellFormed(_ text: String) -> Bool { parts(of: text) != nil }

    /// Whether this program gave the file its name; `isEmpty` says that the file has no content.
    package static func isOwn(_ text: String, inode: UInt64, isEmpty: Bool = false) -> Bool {
        guard let (stem, nonce, hash) = parts(of: text) else { return false }
        return hash == self.hash(nonce, stem, inode)
            || isEmpty && hash == self.hash(nonce, stem, ofEmptyFile)
    }

    private static func parts(of text: String) -> (stem: String, nonce: String, hash: String)? {
        guard text.hasBytePrefix("."), text.hasByteSuffix(ending) else { return nil }
        let body = text.utf8.dropFirst().dropLast(ending.utf8.count)
        let token = body.suffix(nonceLength + hashLength)
        guard token.count == nonceLength + hashLength, body.count > token.count + 1,
            body.dropLast(token.count).last == UInt8(ascii: "."),
            token.allSatisfy({ $0.isDigit || $0.isLowercase })
        else { return nil }
        return (
            String(decoding: body.dropLast(token.count + 1), as: UTF8.self),
            String(decoding: token.prefix(nonceLength), as: UTF8.self),
            String(decoding: token.dropFirst(nonceLength), as: UTF8.self)
        )
    }

    private static func hash(_ nonce: String, _ stem: String, _ inode: UInt64) -> String {
        digits(ContentHash(of: "runner \(nonce) \(inode) \(stem)".utf8.span).value, hashLength)
    }

    private static func digits(_ value: UInt64, _ count: Int) -> String {
        let text = String(value, radix: 36)
        return String(repeating: "0", count: count - text.utf8.count) + text
    }
}
