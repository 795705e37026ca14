/// A second reader of the replies of FTP servers, by RFC 959 §4.2 in plain code.
struct ReferenceReplies {
    private(set) var code: Int?
    private(set) var size: Int64?
    private(set) var hasBadSize = false
    /// The last text, if it is short and of plain ASCII, so that a message repeats it.
    private(set) var plainText: String?
    private var isAskedForSize = false

    /// Takes a command with its line end.
    mutating func didSend(_ line: [UInt8]) {
        isAskedForSize = line.starts(with: Array("SIZE ".utf8)) && line.count > 5
    }

    /// Takes a line of a server with its line end.
    mutating func didReceive(_ line: [UInt8]) {
        let digits = Array(line.prefix(3))
        guard digits.count == 3, digits.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return }
        let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
        guard number >= 100, number < 600, line.dropFirst(3).first != 45 else { return }
        code = number
        var text = Array(line.dropFirst(4))
        while let last = text.last, last <= 32 { text.removeLast() }
        if isAskedForSize, number == 213 {
            size = Self.size(text)
            hasBadSize = size == nil
        }
        if number >= 200 { isAskedForSize = false }
        let isPlain = text.count <= 100 && text.allSatisfy { $0 > 32 && $0 < 127 }
        plainText = isPlain ? String(decoding: text, as: UTF8.self) : nil
    }

    private static func size(_ text: [UInt8]) -> Int64? {
        guard !text.isEmpty, text.count <= 18, text.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
            return nil
        }
        return Int64(String(decoding: text, as: UTF8.self))
    }
}
