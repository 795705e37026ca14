import Diagnostics
import JobFile
import Testing

/// A document that must be free of faults.
func document(_ text: String) throws -> Document {
    let result = Document.parse(Array(text.utf8), name: "job.yaml")
    try #require(result.diagnostics == [])
    return try #require(result.document)
}

extension Document {
    /// The value at a path of keys.
    func value(_ path: String...) throws -> NodeID {
        try path.reduce(root) { try #require(value(of: $0, for: $1)).value }
    }

    /// Keys and texts of a mapping's entries.
    func pairs(of id: NodeID) -> [String] {
        entries(of: id).map { "\(text(of: $0.key))=\(text(of: $0.value))" }
    }
}

@Suite struct DocumentTests {
    @Test func `keys, elements and counts are in the order of the text`() throws {
        let document = try document("b: [x, {}, [1, 2]]\na: {c: 1, d: 2}\n")
        #expect(document.kind(of: document.root) == .mapping)
        #expect(
            document.entries(of: document.root).map { document.text(of: $0.key) } == ["b", "a"]
        )
        let sequence = try document.value("b")
        #expect(document.kind(of: sequence) == .sequence)
        #expect(document.elements(of: sequence).map { document.count(of: $0) } == [0, 0, 2])
        #expect(document.count(of: sequence) == 3)
        #expect(document.count(of: document.root) == 2)
    }

    @Test func `a value has nothing of another kind`() throws {
        let document = try document("scalar: x\nsequence: [1]\nmapping: {a: 1}\n")
        #expect(document.entries(of: try document.value("sequence")).map(\.key) == [])
        #expect(document.elements(of: try document.value("mapping")).map(\.self) == [])
        #expect(document.elements(of: try document.value("scalar")).map(\.self) == [])
        #expect(document.text(of: try document.value("mapping")) == "")
        #expect(document.value(of: try document.value("scalar"), for: "x") == nil)
        #expect(!document.hasText(try document.value("mapping"), equalTo: ""))
    }

    @Test func `an entry whose key is no scalar is left out`() throws {
        let text = "a: &list [1]\nb: { [x]: 1, *list : 2, {y: z}: 3, c: 4 }\n"
        let result = Document.parse(Array(text.utf8), name: "job.yaml")
        #expect(result.diagnostics.map(\.code) == Array(repeating: "yaml.key-not-scalar", count: 3))
        let document = try #require(result.document)
        #expect(document.pairs(of: try document.value("b")) == ["c=4"])
    }

    @Test(arguments: [
        ("{ <<: nope }", true), ("{ <<: [*m, nope] }", true), ("{ <<: [[*m]] }", true),
        ("{ <<: { <<: nope } }", true), ("{ <<: *m }", false), ("{ <<: [*m, *m] }", false),
        ("{ a: { <<: nope } }", false), ("{ \"<<\": nope }", false),
    ])
    func `a mapping remembers a faulty merge`(yaml: String, isFaulty: Bool) throws {
        let result = Document.parse(Array("m: &m { a: 1 }\nx: \(yaml)\n".utf8), name: "job.yaml")
        let document = try #require(result.document)
        #expect(document.hasFaultyMerge(try document.value("x")) == isFaulty)
    }

    @Test func `a text is compared as a whole`() throws {
        let document = try document("key: \"\\u0061bc\"\n")
        let value = try document.value("key")
        #expect(document.hasText(value, equalTo: "abc"))
        #expect(!document.hasText(value, equalTo: "ab"))
        #expect(!document.hasText(value, equalTo: "abcd"))
        #expect(document.withBytes(of: value) { $0.count } == 3)
    }

    @Test(arguments: [
        ("plain words here", "plain words here"), ("'it''s'", "it's"), ("''", ""), ("", ""),
        (#""tab\tand \x41\u00e9\U0001F600""#, "tab\tand Aé😀"), (#""a\_b\Nc""#, "a\u{A0}b\u{85}c"),
        ("plain\n  folds\n\n  here", "plain folds\nhere"), ("\"a\n  b\"", "a b"),
        ("|\n  two\n   lines\n", "two\n lines\n"), (">\n  one\n  line\n", "one line\n"),
        ("|-\n  stripped\n", "stripped"), ("|+\n  kept\n\n", "kept\n\n"),
        ("|2\n   indented\n", " indented\n"), ("https://example.com/#x", "https://example.com/#x"),
        ("a # comment", "a"), ("grün", "grün"),
    ])
    func `a scalar's text follows YAML's rules`(source: String, text: String) throws {
        let document = try document("ключ: \(source)")
        #expect(document.text(of: try document.value("ключ")) == text)
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `every line break counts as one`(lineBreak: String) throws {
        let document = try document(["a: 1", "b:", "  c: x"].joined(separator: lineBreak))
        let value = try document.value("b", "c")
        #expect(document.text(of: value) == "x")
        #expect(document.range(of: value).start == SourcePosition(line: 3, column: 6))
    }

    @Test func `a byte order mark is not text`() throws {
        let document = try document("\u{FEFF}a: ü\nb: x\n")
        #expect(document.text(of: try document.value("a")) == "ü")
        let range = document.range(of: document.root)
        #expect(range.start == SourcePosition(line: 1, column: 1))
        #expect(document.text(of: try document.value("b")) == "x")
    }

    @Test(arguments: [
        ("${var.x}", true), ("a/${var.x}/b", true), (#""${x}""#, true), ("$${literal}", true),
        ("$5 {a", false), ("cost: $", false), ("$$$", false), ("$\\{", false),
    ])
    func `an interpolation is noticed while parsing`(source: String, expected: Bool) throws {
        let text = source.hasPrefix("\"") ? source : "'\(source)'"
        let document = try document("key: \(text)\n")
        #expect(document.hasInterpolation(try document.value("key")) == expected)
    }
}
