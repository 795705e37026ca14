import Testing

@testable import Plan

/// RFC 4180 §2.
@Suite struct CSVRecordTests {
    @Test(arguments: [
        ("a,b,c", ["a", "b", "c"]),
        ("a,,c", ["a", "", "c"]),
        (",", ["", ""]),
        ("a,", ["a", ""]),
        ("", [""]),
        (#""""#, [""]),
        ("\"\"\",\"\"\"", ["\",\""]),
        (#""a,b",c"#, ["a,b", "c"]),
        (#""say ""hi""",x"#, ["say \"hi\"", "x"]),
        ("\"two\nlines\",x", ["two\nlines", "x"]),
        ("\"cr\r\nlf\"", ["cr\r\nlf"]),
        (" a , b", [" a ", " b"]),
        ("é,日本", ["é", "日本"]),
        ("a\tb;c", ["a\tb;c"]),
        ("\"a\rb\",c", ["a\rb", "c"]),
    ])
    func `a record has these fields`(record: String, fields: [String]) throws {
        #expect(try CSVRecord.fields(of: record.utf8.span) == fields)
        #expect(try CSVRecord.fields(of: record.utf8.span, count: fields.count) == fields)
    }

    @Test(
        arguments: [
            ("a,b,c", 1, "b"), ("a,b,c", 2, "c"), ("a,,c", 1, ""), ("a", 0, "a"), ("a", 1, nil),
            ("é,日本,\"x\"", 1, "日本"), ("\"a,b\",c", 1, "c"), ("a,\"b\"", 1, "b"),
            ("\"a \"\"b\"\"\",c", 0, nil), ("\"a \"\"b\"\"\",c", 1, "c"), ("a,", 1, ""),
            ("\"\",c", 0, ""), ("a\"b,c", 1, nil), ("a,b", 7, nil),
        ] as [(String, Int, String?)]
    )
    func `a field without doubled quotes is a part of the record`(
        record: String,
        number: Int,
        field: String?
    ) {
        let found = CSVRecord.plainField(number, of: record.utf8.span)
        #expect(found.map { String(record.slice($0)) } == field)
    }

    @Test(
        arguments: [
            ("a,b\n", 2), ("\n", 1), (",,\n", 3), ("a,b\r\n", 2), ("a~-+/ 1,b\n", 2),
            ("é,b\n", nil),
            ("\"a\",b\n", nil), ("a\"\n", nil), ("a\r,b\n", nil), ("a\r\r\n", nil),
        ] as [(String, Int?)]
    )
    func `the fields of a record of ASCII without quotes are counted`(record: String, count: Int?) {
        let extent = CSVRecord.extent(in: record.utf8.span, from: 0)
        #expect(extent == .init(end: record.utf8.count, plainFields: count))
    }

    @Test(arguments: [
        ("a,b", 2, true), ("a,b", 3, false), ("a,b,", 2, false), ("a,b,", 3, true),
        ("é,b", 2, true),
        ("\"a,\"\"\",b", 2, true), ("a\r,b", 2, false), (",", 2, true), ("\"a\"b,c", 2, false),
        ("a,\"b", 2, false), ("a,b\"", 2, false), ("", 1, true), ("a", 2, false),
    ])
    func `a record is faultless if its fields can be read`(
        record: String,
        count: Int,
        isFaultless: Bool
    ) {
        #expect(CSVRecord.isFaultless(record.utf8.span, count: count) == isFaultless)
        let fields = try? CSVRecord.fields(of: record.utf8.span, count: count)
        #expect((fields != nil) == isFaultless)
    }

    @Test(arguments: [
        (#"a"b"#, 1, "a quote is inside"),
        (#"x, "b""#, 3, "a quote is inside"),
        (#""a"b"#, 3, "text follows"),
        (#"x,"a" "#, 5, "text follows"),
        (#"x,"abc"#, 2, "the quote is never closed"),
        (#"""#, 0, "the quote is never closed"),
        (#""a"""#, 0, "the quote is never closed"),
        ("a,b\r1,2\r", 3, "a carriage return is inside"),
    ])
    func `an invalid record has the place of its fault`(
        record: String,
        offset: Int,
        message: String
    ) {
        let fault = #expect(throws: RowFault.self) { try CSVRecord.fields(of: record.utf8.span) }
        #expect(fault?.offset == offset)
        #expect(fault?.message.hasPrefix(message) == true)
    }

    @Test(arguments: [("a", 2, 1), ("a,b,c", 2, 4), ("a,b,", 2, 4), (#""a,b",c,d"#, 2, 8)])
    func `another number of fields is placed where it shows`(
        record: String,
        count: Int,
        offset: Int
    ) {
        let fault = #expect(throws: RowFault.self) {
            try CSVRecord.fields(of: record.utf8.span, count: count)
        }
        #expect(fault?.offset == offset)
    }

    @Test func `of a row with too many fields the unreadable one is reported`() {
        let fault = #expect(throws: RowFault.self) {
            try CSVRecord.fields(of: "a,b,c\rd".utf8.span, count: 2)
        }
        #expect(fault?.offset == 5)
    }

    @Test func `a field that is not UTF-8 is placed at its first wrong byte`() {
        let bytes: [UInt8] = [97, 44, 98, 0xFF, 44, 99]
        let fault = #expect(throws: RowFault.self) { try CSVRecord.fields(of: bytes.span) }
        #expect(fault == RowFault("the row is not UTF-8", at: 3))
        #expect(CSVRecord.isFaultless(bytes.span, count: 3) == false)
    }

    @Test(arguments: [
        ("a,b\nc", 4), ("a\r\nb", 3), ("\"a\nb\"\nc", 6), ("\"a\"\"\nb\"\nc", 8),
        ("a\"b\nc", 4), ("\n", 1), ("a,b", nil), ("\"a\nb", nil), ("\"a\"", nil),
    ])
    func `a record ends at the first line feed outside of quotes`(text: String, end: Int?) {
        #expect(CSVRecord.extent(in: text.utf8.span, from: 0)?.end == end)
    }
}
