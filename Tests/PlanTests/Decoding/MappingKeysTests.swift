import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct MappingKeysTests {
    /// Checks the keys of a mapping against `a`, which is required, and one of `b` and `c`.
    private static func messages(_ text: String) throws -> [String] {
        let document = try #require(Document.parse(Array(text.utf8), name: "test.yaml").document)
        let keys = SettingTable<Int>(
            "test",
            [
                Setting("a", .integer(0...9), isRequired: true, "") { $0 = $1 },
                Setting("b", .integer(0...9), "") { $0 = $1 },
                Setting("c", .integer(0...9), "") { $0 = $1 },
                Setting("d", .integer(0...9), onlyWith: "b", "") { $0 = $1 },
            ],
            exactlyOneOf: ["b", "c"]
        ).keys
        var faults = FaultReporter(document, DiagnosticLog(showsWarnings: true))
        var found = MappingKeys(keys, of: document.root, ownedBy: document.root)
        for entry in document.entries(of: document.root) {
            _ = found.position(of: entry.key, &faults)
        }
        found.finish(&faults)
        return faults.log.diagnostics.map(\.message)
    }

    @Test func `the right keys have no fault`() throws {
        #expect(try Self.messages("a: 1\nb: 2\nd: 3\nx-note: 4\n") == [])
    }

    @Test(arguments: [
        ("b: 1\n", "the key `a` is required"),
        ("a: 1\n", "one of the keys `b`, `c` is required"),
        ("a: 1\nb: 1\nc: 1\n", "only one of the keys `b`, `c` is allowed"),
        ("a: 1\nc: 1\nd: 1\n", "`d` needs `b`, which is missing"),
        ("a: 1\nb: 1\nee: 1\n", "unknown key `ee`"),
    ])
    func `one wrong key is one fault`(text: String, message: String) throws {
        #expect(try Self.messages(text) == [message])
    }
}
