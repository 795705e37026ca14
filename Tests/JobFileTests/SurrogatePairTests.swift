import Diagnostics
import JobFile
import Testing

@Suite struct SurrogatePairTests {
    @Test func `JSON may escape a character as a surrogate pair`() throws {
        let document = try document(
            #"{"😀": "\uD83D\uDE00 é \ud83d\ude01\ud83d\ude02", "b": "\u00e9"}"#
        )
        #expect(document.pairs(of: document.root) == ["😀=😀 é 😁😂", "b=é"])
    }

    @Test(arguments: [
        #"\ud83d\ude00"#, #"'\ud83d\ude00'"#, "|-\n  \\ud83d\\ude00", #""\\ud83d\\ude00""#,
    ])
    func `a surrogate pair counts only where an escape counts`(value: String) throws {
        let text = "# \\ud83d\\ude00\nquoted: &a \"\\ud83d\\ude00\"\nkey: \(value)\n"
        let document = try document(text)
        #expect(document.text(of: try document.value("quoted")) == "😀")
        #expect(document.text(of: try document.value("key")) == #"\ud83d\ude00"#)
    }

    @Test func `places count the escapes of surrogate pairs`() throws {
        let first = #"{"é": "\ud83d\ude00", "a": ["\ud83d\ude00\ud83d\ude01", 1],"#
        let text = first + "\n" + #" "é\ud83d\ude00": "x\ud83d\ude00y", "b": "z" }"#
        let document = try document(text)
        let lines = LineIndex(document.source)
        let covered = try document.entries(of: document.root).map {
            let range = document.range(of: $0.value)
            let start = try #require(lines.offset(of: range.start))
            let end = try #require(lines.offset(of: range.end))
            return String(decoding: document.source.bytes[start..<end], as: UTF8.self)
        }
        let expected = [
            #""\ud83d\ude00""#, #"["\ud83d\ude00\ud83d\ude01", 1]"#, #""x\ud83d\ude00y""#, #""z""#,
        ]
        #expect(covered == expected)
    }

    @Test(arguments: [
        (#"["\ud83d\ude00", "\ud83d"]"#, 21), (#"["\ud83d\ude00", "\ude00\ud83d"]"#, 21),
        (#"["\ud83d\ude00", "\\ud83d\ude00"]"#, 28), (#"["\ud83d\ude00", "\ud83d\u+e00"]"#, 21),
        (#"["\ud83d\ude00", @]"#, 18),
    ])
    func `half a surrogate pair is a fault, and so is another one behind a pair`(
        text: String,
        column: Int
    ) {
        let result = Document.parse(Array(text.utf8), name: "job.json")
        #expect(result.document == nil)
        #expect(result.diagnostics.map(\.code) == ["yaml.syntax"])
        #expect(result.diagnostics.map(\.range.start.column) == [column])
    }
}
