import Testing
import TransferModel

@testable import Report

@Suite struct ProgramLinesTests {
    private static let mark = "‹redacted›"

    /// The lines shown after each piece; the last piece ends the text.
    private static func shown(
        _ pieces: [String],
        secret: String? = nil,
        longestLine: Int = 64 << 10
    ) -> [[String]] {
        let redactor = secret.flatMap { Redactor([Secret($0)]) }
        var lines = ProgramLines(redactor: redactor, longestLine: longestLine)
        return pieces.indices.map {
            lines.take(Array(pieces[$0].utf8), isLast: $0 == pieces.count - 1)
        }
    }

    @Test func `a line is shown when it is whole, the last one at the end`() {
        #expect(
            Self.shown(["one\ntw", "o\n\nthr", "ee"]) == [["one"], ["two"], ["three"]]
        )
        #expect(Self.shown(["", ""]) == [[], []])
    }

    @Test func `text that a carriage return overwrites is not shown`() {
        #expect(Self.shown(["10 %\r50 %\r100 %\r\nend\r\n"]) == [["100 %", "end"]])
    }

    @Test func `a secret is found with pieces of any size`() {
        let text = "the key is hunter2 indeed\n"
        for position in 0...text.count {
            let pieces = [String(text.prefix(position)), String(text.dropFirst(position)), ""]
            let lines = Array(Self.shown(pieces, secret: "hunter2").joined())
            #expect(lines == ["the key is \(Self.mark) indeed"])
        }
    }

    @Test(arguments: 1...11)
    func `base64 of a secret that continues on the next line is found`(width: Int) {
        let digits = "aHVudGVyMmh1bnRlcjI"
        let pieces = ["x\n", digits.prefix(width) + "\n", digits.dropFirst(width) + "=\n", ""]
        let all = Self.shown(pieces.map { String($0) }, secret: "hunter2hunter2").joined()
        #expect(all.joined() == "x\(Self.mark)=")
    }

    @Test func `the first line of a secret waits for the second`() {
        let key = "-----BEGIN KEY-----\nab\ncd\n-----END KEY-----"
        #expect(
            Self.shown(
                ["load:\n-----BEGIN KEY-----\n", "ab\ncd\n", "-----END KEY-----\n", ""],
                secret: key
            )
                == [["load:"], [], [Self.mark], []]
        )
        // Another text begins as the secret does.
        let other = Self.shown(["-----BEGIN KEY-----\n", "other\n"], secret: key)
        #expect(other.last?.last == "other")
    }

    @Test func `the beginning of a secret is not shown at the end`() {
        #expect(
            Self.shown(["pass: correct ho"], secret: "correct horse") == [["pass: \(Self.mark)"]]
        )
    }

    @Test func `a line without end is shown in pieces between characters`() {
        let piece = String(repeating: "é", count: 20_000)
        let shown = Self.shown([piece, piece, "é\n", "y"], secret: "hunter2")
        #expect(shown[0].isEmpty && shown[1].count == 1 && shown[3] == ["y"])
        #expect(shown.joined().joined() == piece + piece + "éy")
    }

    @Test(arguments: [
        "https://user:hunter2secret@", #"https:\/\/user:hunter2secret@"#,
        "https:/user:hunter2secret@", "https://user:hunt@er2secret@",
    ])
    func `a login in a URL stays in one piece wherever a long line is cut`(login: String) {
        let url = login + "host/"
        let longest = 1024
        for offset in (longest - 40)...longest {
            let text = Array((String(repeating: "x", count: offset) + " \(url) tail\n").utf8)
            let size = offset.isMultiple(of: 2) ? longest / 4 : longest + 1
            let pieces = stride(from: 0, to: text.count, by: size).map {
                String(decoding: text[$0..<min($0 + size, text.count)], as: UTF8.self)
            }
            let lines = Self.shown(pieces + [""], secret: "another", longestLine: longest)
            let shown = lines.joined()
            #expect(shown.contains { $0.contains(login.drop { $0 != ":" }) }, "\(offset)")
        }
    }

    @Test func `bytes that are no characters are shown in pieces, too`() {
        var lines = ProgramLines(redactor: nil, longestLine: 1024)
        var count = 0
        for _ in 0..<64 {
            count += lines.take([UInt8](repeating: 0x80, count: 256)).count
        }
        #expect(count > 10)
    }

    @Test func `a secret of a long line is found when the line is shown in pieces`() {
        let line = String(repeating: "x", count: 65_530) + "hunter2-hunter2 tail\n"
        for size in [1000, 8191, 16_384, 65_535, 65_540] {
            let text = Array(line)
            let pieces = stride(from: 0, to: text.count, by: size).map {
                String(text[$0..<min($0 + size, text.count)])
            }
            let shown = Self.shown(pieces + [""], secret: "hunter2").joined().joined()
            #expect(shown.hasSuffix("x\(Self.mark)-\(Self.mark) tail"), "\(size)")
        }
    }
}
