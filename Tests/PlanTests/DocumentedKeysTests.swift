import JobFile
import TestSupport
import Testing

@testable import Plan

/// Compares the keys in README and in the reference with the tables of the language.
@Suite struct DocumentedKeysTests {
    private static let tables =
        [
            JobTable.table.keys, JobTable.report.keys, SecretTable.table.keys,
            DefaultsTable.table.keys,
            SessionTable.table.keys, TLSTable.table.keys, SessionTable.minimumRateTable.keys,
            LimitsTable.table.keys, LimitsTable.periodTable.keys, LimitsTable.bandwidthTable.keys,
            CacheTable.table.keys, CacheTable.ruleTable.keys, RedirectTable.decisionTable.keys,
            ProxyTable.table.keys, ProxyTable.server.keys, ConnectToTable.table.keys,
            ChecksumTable.table.keys, DetachedSignatureTable.table.keys,
            BecomeDownloadTable.table.keys,
            MixedReplaceTable.table.keys, ExtractTable.table.keys, CaptureTable.table.keys,
            TaskTable.data.keys,
            TaskTable.upload.keys,
            TaskTable.download.keys,
            RetryTable.table.keys, RetryTable.backoff.keys, ExpectTable.table.keys,
            RedirectTable.table.keys, ForEachTable.table.keys, EncodingTable.table.keys,
            EncodingTable.dateTable.keys, EncodingTable.floatTable.keys,
            EncodingTable.textTable.keys,
            ScheduleTable.table.keys, NetworkTable.table.keys, NetworkTable.rules.keys,
            NetworkTable.matches.keys, HooksTable.table.keys,
            MultipartType.part.keys, StreamTable.table.keys, WebSocketTable.table.keys,
            WebSocketStepTable.table.keys, WebSocketStepTable.sendTable.keys,
            WebSocketStepTable.pingTable.keys, ReceiveTable.table.keys,
            ReceiveTable.expectTable.keys, CloseTable.table.keys, CloseTable.expectTable.keys,
            StreamTaskTable.table.keys,
            StreamStepTable.table.keys, StreamStepTable.writeTable.keys,
            StreamReadTable.table.keys, StreamReadTable.expectTable.keys,
        ] + CredentialTable.methods.map(\.table.keys)

    private static func text(_ file: String) throws -> String {
        let path = #filePath.replacing(#/Tests/PlanTests/.*/#, with: file)
        return String(decoding: try #require(Fixture.read(path)), as: UTF8.self)
    }

    @Test func `the reference has every key of the language`() throws {
        let page = try Self.text("docs/reference/job-file.md")
        let names = Set(Self.tables.flatMap(\.keys).map(\.name))
        let missing = names.filter { !page.contains("</a>`\($0)` |") }
        #expect(missing.isEmpty)
    }

    @Test func `the job in README is valid`() throws {
        let readme = try Self.text("README.md")
        let block = try #require(readme.firstMatch(of: #/```yaml\n([^`]*)```/#)).1
        let parsed = Document.parse(Array(block.utf8), name: "nightly.yaml")
        #expect(parsed.diagnostics.isEmpty)
        let options = PlanOptions { $0.workingFolder = "/jobs" }
        let plan = try Plan.make(from: #require(parsed.document), options: options)
        #expect(plan.taskCount == 3)
        #expect(plan.warnings.isEmpty)
    }
}
