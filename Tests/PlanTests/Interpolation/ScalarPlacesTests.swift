import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct ScalarPlacesTests {
    private static func places(
        _ written: String
    ) throws -> (ScalarPlaces, text: String) {
        let document = try #require(
            Document.parse(Array("k: \(written)\n".utf8), name: "test.yaml").document
        )
        let node = try #require(document.value(of: document.root, for: "k")?.value)
        let text = document.text(of: node)
        return (ScalarPlaces(of: node, text, in: document), text)
    }

    @Test(arguments: [("aé😀b", 4), ("'aé😀b'", 5), ("\"aé😀b\"", 5)])
    func `a part stands where its characters do, in whatever order they are asked for`(
        written: String,
        column: Int
    ) throws {
        var (places, text) = try Self.places(written)
        // In UTF-8 the characters take 1, 2, 4 and 1 bytes.
        let parts = [0..<1, 1..<3, 3..<7, 7..<8]
        for index in [0, 1, 2, 3, 1, 3, 0, 2] {
            let range = places.range(of: parts[index], in: text)
            #expect(range.start == SourcePosition(line: 1, column: column + index))
            #expect(range.end == SourcePosition(line: 1, column: column + index + 1))
        }
    }

    @Test(arguments: ["\"a\\tb\"", "'it''s'", "|\n  text"])
    func `a scalar with escapes has one place`(written: String) throws {
        var (places, text) = try Self.places(written)
        let first = places.range(of: 0..<1, in: text)
        #expect(first == places.range(of: 1..<text.utf8.count, in: text))
    }
}
