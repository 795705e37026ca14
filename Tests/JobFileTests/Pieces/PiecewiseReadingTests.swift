import Diagnostics
import TestSupport
import Testing

@testable import JobFile

/// Reads two of three pieces on request.
private struct PartsOnDemand: PartsAhead {
    private let pieces: Pieces

    init(of pieces: Pieces) {
        self.pieces = pieces
    }

    func part(of piece: Int) -> Part? {
        piece % 3 == 1 ? nil : pieces.part(piece)
    }

    func finish() {}
}

/// Gives all keys and values of a piece a tag by which a test knows them.
private struct MarkedParts: PartsAhead {
    private let pieces: Pieces

    init(of pieces: Pieces) {
        self.pieces = pieces
    }

    func part(of piece: Int) -> Part? {
        guard let part = pieces.part(piece) else { return nil }
        var builder = part.builder
        for index in pieces.head.tree.nodes.count..<builder.tree.nodes.count {
            builder.tree.nodes[index].tag = .nonSpecific
        }
        return Part(builder: builder, lines: part.lines)
    }

    func finish() {}
}

@Suite struct PiecewiseReadingTests {
    /// All parts of a tree, and its diagnostics.
    private struct Reading: Equatable {
        var records: [[UInt32]] = []
        var arena: [UInt8] = []
        var ends: [[UInt32]] = []
        var expandedLength = 0
        var diagnostics: [Diagnostic]

        init(_ result: ParseResult) {
            diagnostics = result.diagnostics
            guard let document = result.document else { return }
            records = document.tree.nodes.map { node in
                [
                    node.line, node.column, node.content, node.length, node.reach,
                    UInt32(node.kind.rawValue), UInt32(node.flags.rawValue),
                    UInt32(node.tag.rawValue),
                ]
            }
            arena = document.tree.arena
            ends = document.tree.ends.map { [$0.line, $0.column] }
            expandedLength = document.expandedLength
        }
    }

    private func read<Ahead: PartsAhead>(
        _ bytes: [UInt8],
        by measure: Cut.Measure?,
        ahead: Ahead.Type = PartsOnDemand.self
    ) -> Reading {
        Reading(Document.parse(bytes, name: "job.yaml", cutBy: measure, ahead: ahead))
    }

    private func measure(seed: UInt64) -> Cut.Measure {
        var random = SplitMix64(seed: seed)
        return Cut.Measure(
            head: Int.random(in: 0...200, using: &random),
            piece: Int.random(in: 1...200, using: &random),
            window: Int.random(in: 20...300, using: &random)
        )
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a text in pieces gives the same tree as in one reading`(block: UInt64) {
        for seed in block * 20..<block * 20 + 20 {
            let bytes = Array(RandomJob.text(seed: seed).utf8)
            for variant in 0..<4 as Range<UInt64> {
                let measure = measure(seed: seed &* 4 &+ variant)
                #expect(
                    read(bytes, by: measure) == read(bytes, by: nil),
                    "seed \(seed), \(measure)"
                )
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a damaged text has the same faults in pieces as in one reading`(block: UInt64) {
        for seed in block * 20..<block * 20 + 20 {
            let bytes = RandomJob.damaged(RandomJob.text(seed: seed), seed: seed)
            let measure = measure(seed: seed)
            #expect(read(bytes, by: measure) == read(bytes, by: nil), "seed \(seed), \(measure)")
        }
    }

    @Test(arguments: [
        // Places that only look like entries of a section.
        "a:\n  b: 1\nc: |\n  b: 1\n  d: 2\ne:\n  f: 1\n",
        "a:\n  b: 1\nc: \"\n  b: 1\n  d: 2\"\ne:\n  f: 1\n",
        "a:\n  b: 1\n  c: {\n  d: 1,\n  e: 2 }\n  f: 1\n",
        "a:\n  b: 1\n?\n  c: 1\n  d: 2\n: e\nf:\n  g: 1\n",
        "a:\n  b: 1\n  ?\n  c: 1\n  d: 2\n",
        "a:\n  b: 1\n  ? c\n  : d\n  e: 2\n",
        " a:\n   b: 1\n   c: 2\n   d: 3\n",
        "-\n  b: 1\n  c: 2\n  d: 3\n",
        "a:\n  b:\n    c: 1\n    d: 1\n    e: 1\n  f: 1\n",
        "a:\n- b: 1\n  c: 2\n  d: 2\n- e\n",
        // Sections that end and begin.
        "a:\n  b: 1\n  c: 2\nd:\n    e: 1\n    f: 2\ng:\n h: 1\n i: 1\n",
        "a:\n  b: 1\n  c: 2\nd: 1\ne: 2\nf:\n  b: 1\n  c: 2\n",
        // Anchors that a piece does not know.
        "a:\n  b: 1\n  c: &x 2\n  d: *x\n  e: &x 3\n  f: *x\n  g: 1\n",
        "a: &x\n  b: 1\n  c: 2\n  d: 3\n  e: 4\nf: *x\n",
        "a:\n  b: &x { c: 1 }\n  d: { <<: *x }\n  e: { *x : 1 }\n  f: *x\n  g: *x\n",
        "a:\n  b: &x c\n  *x : 1\n  d: { <<: *x }\n  e: { *x : 1, c: 2 }\n  f: 1\n",
        "a:\n  b: 1\n  <<: { x: 1 }\n  c: 2\n  <<: y\n  d: 2\n",
        "%TAG !! tag:other,2026:\n---\na:\n  b: 1\n  c: !!str 2\n  d: 2\n",
        "%YAML 1.1\n---\na:\n  b: 1\n  c: !!str 2\n  d: 2\n",
        "a:\n  b: 1\n  c: 2\n  d: 2\n---\na:\n  e: 1\n  f: 1\n",
        "a:\n  b: 1\n  c: 2\n  b: 2\n  d: 4\n  c: 2\n",
        "a:\n  b: 1\n  c: 2\n  d: 2\n  e: [\n  f: 1\n",
        "a:\n  b: 1\n  c: 2\n\td: 2\n  e: 1\n  f: 1\n",
        "a:\n  b: 1\n  c: 2\n  d\n  e: 1\n  f: 1\n",
        "a:\n  b: 1\n  c: 2\n d: 1\n  e: 1\n  f: 1\n",
    ])
    func `a cut at each line changes nothing`(text: String) {
        for head in 0...text.utf8.count {
            let measure = Cut.Measure(head: head, piece: 1, window: 10)
            #expect(read(Array(text.utf8), by: measure) == read(Array(text.utf8), by: nil))
        }
    }

    @Test func `limits are passed at the same value`() {
        let list = "x: &x [\(String(repeating: "a,", count: 1_000))]\ntasks:\n"
        let entries = (0..<4_100).map { "  t\($0): *x\n" }
        let bytes = Array((list + entries.joined()).utf8)
        let reading = read(bytes, by: .usual)
        #expect(reading == read(bytes, by: nil))
        #expect(reading.diagnostics.map(\.code) == ["yaml.alias-expansion"])
    }

    @Test func `a thousand faults end a text in pieces as in one reading`() {
        let entries = (0..<1_500).map { "  t\($0): { a: 1, a: 2 }\n" }
        let bytes = Array(("tasks:\n" + entries.joined()).utf8)
        #expect(
            read(bytes, by: Cut.Measure(head: 0, piece: 4_000, window: 100)) == read(bytes, by: nil)
        )
    }

    @Test func `pieces read ahead are used`() {
        let entries = (0..<100).map { "  t\($0): { url: x }\n" }
        let bytes = Array(("tasks:\n" + entries.joined()).utf8)
        let measure = Cut.Measure(head: 200, piece: 100, window: 50)
        let marked = read(bytes, by: measure, ahead: MarkedParts.self)
        // Four values to each task: all but those of the head and the last piece.
        let count = marked.records.count { $0.last == UInt32(CoreTag.nonSpecific.rawValue) }
        #expect(count > 320 && count < 400)
        #expect(marked.records.count == 403)
    }

    @Test func `a second thread changes nothing`() {
        let jobs = (0..<40 as Range<UInt64>).map { RandomJob.text(seed: $0) }
        let entries = (0..<20_000).map { "  t\($0):\n    url: https://example.com/\($0)\n" }
        for text in jobs + ["tasks:\n" + entries.joined()] {
            let bytes = Array(text.utf8)
            let measure = Cut.Measure(head: 10, piece: bytes.count / 50 + 20, window: 100)
            #expect(
                read(bytes, by: measure, ahead: PartsOnThread.self) == read(bytes, by: nil)
            )
        }
    }
}
