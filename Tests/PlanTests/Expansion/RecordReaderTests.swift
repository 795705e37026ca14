import Testing

@testable import Plan

@Suite struct RecordReaderTests {
    private func records(_ text: String, _ format: DataFormat) throws -> [String] {
        var reader = RecordReader(MemoryFile(text), format)
        var records: [String] = []
        while let record = try reader.next() {
            let content = String(decoding: record.content, as: UTF8.self)
            records.append("\(record.line) \(record.range) \(content)")
        }
        return records
    }

    @Test(arguments: [
        ("a\nb\n", ["1 0..<2 a", "2 2..<4 b"]),
        ("a\r\nb", ["1 0..<3 a", "2 3..<4 b"]),
        ("\u{FEFF}a\n\n\r\nb", ["1 3..<5 a", "4 8..<9 b"]),
        ("a\r\nb\r", ["1 0..<3 a", "2 3..<5 b"]), ("a\n\r", ["1 0..<2 a"]),
        ("", []), ("\n\n", []), ("\u{FEFF}", []),
    ])
    func `lines that are not empty are rows`(text: String, expected: [String]) throws {
        #expect(try records(text, .lines) == expected)
    }

    @Test func `a row of CSV may have several lines`() throws {
        let text = "h\n\"1\n2\"\n3\n"
        #expect(try records(text, .csv) == ["1 0..<2 h", "2 2..<8 \"1\n2\"", "4 8..<10 3"])
    }

    @Test(arguments: [DataFormat.lines, .csv])
    func `rows are whole wherever the file is cut into pieces`(format: DataFormat) throws {
        let rows = (0..<40_000).map { "row \($0)\(String(repeating: "x", count: $0 % 37))" }
        var reader = RecordReader(MemoryFile(rows.joined(separator: "\n")), format)
        var number = 0
        while let record = try reader.next() {
            guard String(decoding: record.content, as: UTF8.self) == rows[number] else { break }
            number += 1
        }
        #expect(number == rows.count)
    }

    @Test func `a doubled quote at the end of a piece is still one`() throws {
        let long = String(repeating: "y", count: (256 << 10) - 2)
        let text = "\"\(long)\"\"z\nz\"\nnext\n"
        var reader = RecordReader(MemoryFile(text), .csv)
        let first = try #require(try reader.next())
        #expect(first.content.count == long.utf8.count + 7)
        #expect(try reader.next()?.line == 3)
    }

    @Test(arguments: ["\n", "\r\n", ""], [0, 3, (256 << 10) - 1])
    func `a row has up to 1 MiB at any place in a piece`(end: String, before: Int) throws {
        let first = String(repeating: "a", count: before) + "\n"
        let longest = String(repeating: "b", count: 1 << 20)
        for (row, isRight) in [(longest, true), (longest + "b", false)] {
            var reader = RecordReader(MemoryFile(first + row + end), .lines)
            if before > 0 { _ = try reader.next() }
            if isRight {
                #expect(try reader.next()?.content.count == 1 << 20)
            } else {
                #expect(throws: RowFault.self) { try reader.next() }
            }
        }
    }

    @Test func `an endless row ends the reading`() throws {
        let text = "ok\n\n\"open\r\n" + String(repeating: "z", count: 3 << 20)
        var reader = RecordReader(MemoryFile(text), .csv)
        #expect(try reader.next() != nil)
        let fault = #expect(throws: RowFault.self) { try reader.next() }
        #expect(fault?.help == "perhaps a quote is never closed")
        #expect(reader.line == 3)
        #expect(String(decoding: reader.excerpt, as: UTF8.self) == "\"open")
    }
}
