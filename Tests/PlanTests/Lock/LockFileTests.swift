import Diagnostics
import JSON
import Plan
import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct LockFileTests {
    private static let digest = String(repeating: "0f", count: 32)
    private static let job = """
        version: 1
        variables: { key: swordfish }
        downloads:
          b:
            url: https://h.example/b
            mirrors: ["https://m.example/b"]
            to: b.bin
            checksum: sha256:\(digest)
          a:
            forEach: { items: [x] }
            url: https://h.example/${item}?key=${var.key}
            to: a.bin
        """

    /// The lock file of a job whose downloads all have the same content.
    private static func text(of job: String = job) throws -> String {
        var lines: [ByteText: [UInt8]] = [:]
        try TestJob.plan(job).forEachDeclaredDownload { declared in
            let locked = LockedDownload(
                finalURL: declared.url,
                validator: nil,
                size: 5,
                sha256: digest
            )
            lines[ByteText(declared.id)] = LockFile.line(declared, locked)
        }
        return String(decoding: LockFile.text(of: lines), as: UTF8.self)
    }

    /// The differences of another job from the lock file of this one.
    private func differences(_ old: String, _ new: String) throws -> [String] {
        let plan = try TestJob.plan(Self.job.replacing(old, with: new))
        let lock = try LockFile(Array(Self.text().utf8))
        return plan.differences(from: lock, .warning).map(\.message)
    }

    @Test func `a lock file has one line for each download, sorted by id`() throws {
        let lines = try Self.text().split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1].hasPrefix(#"{"id":"a[x]","#))
        #expect(lines[2].hasPrefix(#"{"id":"b","#))
    }

    @Test func `what is written is read as it was`() throws {
        let lock = try LockFile(Array(Self.text().utf8))
        let entry = try #require(lock["b"])
        #expect(entry.declared.mirrors == ["https://m.example/b"])
        #expect(entry.locked.finalURL == "https://h.example/b")
        #expect(entry.locked.size == 5)
        #expect(lock["c"] == nil)
        let lines = lock.entries.mapValues(\.line)
        #expect(try LockFile.text(of: lines) == Array(Self.text().utf8))
    }

    @Test func `an expression in a query is locked as it is written`() throws {
        let text = try Self.text()
        #expect(text.contains("https://h.example/x?key=${var.key}"))
        #expect(!text.contains("swordfish"))
    }

    @Test func `the schema accepts a lock file, and none without a member`() throws {
        let schema = JSONSchemaValidator(schema: try JSONValue(LockSchema.text))
        let text = try Self.text()
        #expect(try schema.faults(in: JSONValue(text)).isEmpty)
        let less = text.replacing(#""size":5,"#, with: "")
        #expect(try !schema.faults(in: JSONValue(less)).isEmpty)
    }

    @Test(arguments: [
        (#""size":5"#, #""size":-5"#, "`size` is no number of bytes"),
        (#""size":5,"#, "", "`size` is missing"),
        (#""size":5"#, #""size":5,"snake":1"#, "unknown member `snake`"),
        ("0f\"}", "0F\"}", "`sha256` has no 64 lower-case hexadecimal digits"),
        (#""id":"a[x]""#, #""id":"b""#, "duplicate download `b`"),
        ("},\n", "}\n", "expected a comma"),
        ("\n]}", ",\n]}", "a comma follows the last download"),
        ("]}\n", "", "the lock file ends without a line `]}`"),
        (#""formatVersion":1"#, #""formatVersion":2"#, "formatVersion 2; this version reads 1"),
        (#"{"id":"b""#, "=======\n{\"id\":\"b\"", "the lock file has a merge conflict"),
    ])
    func `a damaged lock file is refused with its fault`(
        old: String,
        new: String,
        message: String
    ) throws {
        let text = try Self.text().replacing(old, with: new)
        let fault = #expect(throws: LockFile.Fault.self) { try LockFile(Array(text.utf8)) }
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    }

    @Test func `a job agrees with its lock file`() throws {
        #expect(try differences("b.bin", "b.bin").isEmpty)
    }

    @Test(arguments: [
        ("url: https://h.example/b", "url: https://h.example/c", "`url` of `b` is"),
        ("https://m.example/b", "https://n.example/b", "`mirrors` of `b` is"),
        ("to: b.bin", "to: c.bin", "`to` of `b` is `c.bin`, the lock file has `b.bin`"),
        ("[x]", "[y]", "`a[y]` is not in the lock file"),
    ])
    func `each difference between a job and its lock file is named`(
        old: String,
        new: String,
        message: String
    ) throws {
        let found = try differences(old, new)
        #expect(found.count == 1)
        #expect(found.first?.contains(message) == true, "\(found)")
    }

    @Test func `a changed checksum differs from the entry and from its digest`() throws {
        let other = String(repeating: "0e", count: 32)
        let found = try differences("sha256:\(Self.digest)", "sha256:\(other)")
        #expect(found.count == 2)
        #expect(found.last == "`checksum` of `b` is not the `sha256` of the lock file")
    }

    @Test func `a locked download that the job has lost is found at its line`() throws {
        let text = try Self.text()
        let plan = try TestJob.plan(Self.job.replacing("  b:\n", with: "  c:\n"))
        let source = SourceText(name: "test.lock", bytes: Array(text.utf8))
        let found = plan.surplus(of: try LockFile(Array(text.utf8)), in: source)
        #expect(found.map(\.message) == ["the job has no download `b`"])
        #expect(found.first?.range.start.line == 3)
    }
}
