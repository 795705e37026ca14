import Diagnostics
import JobFile
import Testing

@Suite struct AliasTests {
    @Test func `an alias is what its anchor stands on, at its own place`() throws {
        let document = try document("one: &a {x: 1}\ntwo: *a\nthree: &b text\nfour: [*b]\n")
        let two = try document.value("two")
        #expect(document.kind(of: two) == .mapping)
        #expect(document.count(of: two) == 1)
        #expect(document.pairs(of: two) == ["x=1"])
        #expect(document.range(of: two).start == SourcePosition(line: 2, column: 6))
        #expect(document.range(of: two).end == SourcePosition(line: 2, column: 8))
        let four = try document.value("four")
        #expect(document.elements(of: four).map { document.text(of: $0) } == ["text"])
    }

    @Test func `an anchor means the last value that bears it`() throws {
        let document = try document("a: &x 1\nb: *x\nc: &x 2\nd: *x\n")
        #expect(document.pairs(of: document.root) == ["a=1", "b=1", "c=2", "d=2"])
    }

    @Test func `a key may be an alias of a scalar`() throws {
        let document = try document("a: &x name\n*x : value\n")
        #expect(document.text(of: try document.value("name")) == "value")
    }

    @Test func `own keys come first, then merges, each key once`() throws {
        let document = try document(
            """
            one: &one {a: 1, b: 1}
            two: &two {b: 2, c: 2}
            both:
              <<: [*one, *two]
              a: own
              d: own
            """
        )
        let both = try document.value("both")
        #expect(document.pairs(of: both) == ["a=own", "d=own", "b=1", "c=2"])
        #expect(document.count(of: both) == 4)
        #expect(document.text(of: try document.value("both", "c")) == "2")
        #expect(document.text(of: try document.value("both", "a")) == "own")
        #expect(document.value(of: both, for: "<<") == nil)
    }

    @Test func `a merged mapping may merge others, written out too`() throws {
        let document = try document(
            """
            one: &one {a: 1}
            two: &two {<<: *one, b: 2}
            three: {<<: [{c: 3, a: 3}, *two]}
            """
        )
        #expect(document.pairs(of: try document.value("three")) == ["c=3", "a=3", "b=2"])
    }

    @Test func `a quoted sign is a key like others`() throws {
        let document = try document("\"<<\": {a: 1}\n")
        #expect(document.entries(of: document.root).map { document.text(of: $0.key) } == ["<<"])
    }

    @Test func `a merged value keeps the place where it is written`() throws {
        let document = try document("one: &one {a: 1}\ntwo: {<<: *one}\n")
        #expect(
            document.range(of: try document.value("two", "a")).start
                == SourcePosition(line: 1, column: 15)
        )
    }
}
