import SystemKit
import TestSupport
import Transfer
import TransferModel

/// One exchange of commands and replies given to the reader of replies, and compared with the
/// reference line by line.
struct ReplyTrial {
    /// The kinds of the replies, runs of the same kind as one.
    private(set) var answer = ""
    /// The rules that the reader broke, one sentence each.
    private(set) var faults: [String] = []
    /// The number of lines of the server.
    private(set) var replyCount = 0

    /// The most characters that a message takes of a server's text: 200, the spaces between them,
    /// and the ellipsis.
    private static let longestText = 400

    /// The lines follow from the bytes alone, so that a kept file is tried again alike.
    init(_ bytes: [UInt8]) {
        var replies = FTPReplies()
        var reference = ReferenceReplies()
        var kinds: [String] = []
        for line in Self.lines(of: bytes) {
            // A command, as libcurl reports it; all others are lines of the server.
            if line.first == UInt8(ascii: ">") {
                let command = Array(line.dropFirst())
                replies.didSend(command.span)
                reference.didSend(command)
            } else {
                replyCount += 1
                replies.didReceive(line.span)
                reference.didReceive(Array(line))
            }
            compare(replies, reference)
            let kind = "\((replies.last?.code ?? 0) / 100)\(replies.size == nil ? "" : "s")"
            if kinds.last != kind { kinds.append(kind) }
            if !faults.isEmpty { break }
        }
        var random = SplitMix64(seed: bytes.span.fnv1a)
        checkHead(replies.size, &random)
        answer = kinds.suffix(8).joined(separator: " ")
    }

    /// The lines with their ends; the last one may have none.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 10 {
            lines.append(Array(bytes[start...index]))
            start = index + 1
        }
        if start < bytes.count { lines.append(Array(bytes[start...])) }
        return lines
    }

    private mutating func compare(_ replies: FTPReplies, _ reference: ReferenceReplies) {
        if replies.last?.code != reference.code { faults.append("the code is another") }
        if replies.size != reference.size || replies.hasBadSize != reference.hasBadSize {
            faults.append("the size is another")
        }
        guard let text = replies.last?.text else { return }
        if text.unicodeScalars.count > Self.longestText { faults.append("the text is long") }
        if text.unicodeScalars.contains(where: { $0.value < 32 || (127..<160).contains($0.value) })
        {
            faults.append("the text has a control character")
        }
        if let start = reference.plainText, !text.hasPrefix(start) {
            faults.append("the text is another")
        }
    }

    /// Checks the head that a size and a date of a server make.
    private mutating func checkHead(_ size: Int64?, _ random: inout SplitMix64) {
        let dates: [Int64?] = [
            nil, -1, 0, 951_782_400, 253_402_300_799, 253_402_300_800, .max, .min,
        ]
        let modified = dates.randomElement(using: &random) ?? nil
        let offsets: [Int64] = [0, 1, 1 << 20, size ?? 0, (size ?? 0) + 1]
        let offset = offsets.randomElement(using: &random) ?? 0
        let file = FileFacts(size: size, modified: modified)
        let head = file.head(from: offset)
        if head.statusCode != (offset > 0 ? 206 : 200) { faults.append("the status is another") }
        let length = head.fields["content-length"].flatMap { Int64($0) }
        if length != size.flatMap({ $0 >= offset ? $0 - offset : nil }) {
            faults.append("the length is another")
        }
        let date = head.fields["last-modified"]
        let hasDate = modified.map { $0 >= 0 && $0 < 253_402_300_800 } ?? false
        if hasDate != (date != nil) || date.map({ $0.utf8.count != 29 }) ?? false {
            faults.append("the date is another")
        }
        if let length, offset > 0, length > 0 {
            let range = "bytes \(offset)-\(offset + length - 1)/\(offset + length)"
            if head.fields["content-range"] != range { faults.append("the range is another") }
        }
    }
}
