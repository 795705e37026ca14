import Diagnostics
import Testing

@testable import JobFile

@Suite struct PiecesTests {
    /// Whether each piece, of one line, can be read by itself.
    private func areParts(_ text: String) -> [Bool] {
        let source = SourceText(name: "job.yaml", bytes: Array(text.utf8))
        let measure = Cut.Measure(head: 12, piece: 1, window: 20)
        let cuts = Cut.all(in: source.bytes.span, by: measure)
        var head = TreeBuilder(source, cursor: SourceCursor(base: 0, isASCII: true))
        _ = EventReader.read(source.bytes, from: 0) { head.build(from: $0, until: cuts[0].key) }
        let pieces = Pieces(of: source, at: cuts, behind: head)
        return cuts.indices.map { pieces.part($0) != nil }
    }

    @Test(arguments: [
        ("a: &x 1\nb:\n  c: 1\n", "  d: { e: [f] }\n", true),
        ("a: &x 1\nb:\n  c: 1\n", "  d: *x\n", true),
        ("a: &x {}\nb:\n  c: 1\n", "  d: { <<: *x }\n", true),
        ("a: &x 1\nb:\n  c: 1\n", "  d: &y 1\n", false),
        ("a: &x 1\nb:\n  c: 1\n", "  d: *y\n", false),
        ("a: &x 1\nb:\n  c: 1\n", "  d: { e: 1, e: 2 }\n", false),
        ("a: &x 1\nb:\n  c: 1\n", "  d: [ }\n", false),
        ("a: &x 1\nb:\n  c: 1\n", "  d: 1\ng:\n", false),
    ])
    func `a piece without faults is read separately`(
        head: String,
        piece: String,
        isPart: Bool
    ) {
        #expect(areParts(head + piece + "  last: 1\n") == [isPart, false])
    }

    @Test(arguments: [(10, true), (100_000, true), (200_000, false)])
    func `a very long piece is left to the thread with its tree`(count: Int, isPart: Bool) {
        let list = String(repeating: "1,", count: count)
        #expect(areParts("b:\n  c: 12345\n  d: [\(list)]\n  last: 1\n") == [isPart, false])
    }
}
