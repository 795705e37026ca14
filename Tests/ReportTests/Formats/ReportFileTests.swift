import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct ReportFileTests {
    @Test func `the report appears whole in folders of its own`() throws {
        let folder = try TemporaryFolder()
        let report = jsonReport(path: folder.path("out/deep/report.json"))
        for event in Samples.events.dropLast() { report.receive(event) }
        #expect(try folder.list("out/deep") == [])
        report.receive(.finished(Samples.summary))
        #expect(report.failure == nil)
        #expect(try folder.list("out/deep") == ["report.json"])
        #expect(try JSONValue(folder.text("out/deep/report.json"))["tasks"]?.elements.count == 3)
        #expect(try folder.mode(of: "out/deep/report.json") == 0o600)
    }

    @Test func `an older report stands until the new one is whole`() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "report.json", mode: 0o600)
        var report: Reports? = jsonReport(path: folder.path("report.json"))
        for event in Samples.events.dropLast() { report?.receive(event) }
        report = nil
        #expect(try folder.text("report.json") == "old")
        #expect(try folder.list() == ["report.json"])

        let second = jsonReport(path: folder.path("report.json"))
        for event in Samples.events { second.receive(event) }
        #expect(second.isPublished)
        #expect(try folder.text("report.json").hasPrefix("{\"formatVersion\":1,"))
    }

    @Test(arguments: ["/dev/null/report.json", "/proc/self/no/report.json"])
    func `a folder that cannot be made is an error`(path: String) {
        let report = jsonReport(path: path)
        for event in Samples.events { report.receive(event) }
        #expect(report.failure?.isEnvironment == true)
        #expect(!report.isPublished)
    }

    @Test func `a folder under the report's name is an error`() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("report.json")
        let report = jsonReport(path: folder.path("report.json"))
        for event in Samples.events { report.receive(event) }
        #expect(report.failure?.isEnvironment == true)
        #expect(report.failure?.subject == folder.path("report.json"))
        #expect(try folder.list() == ["report.json"])
    }

    @Test(arguments: ["", "deep/", ".", ".."])
    func `a path that can only be a folder's is refused when it is opened`(name: String) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SystemError.self) {
            try PublishedReport(path: folder.path(name))
        }
        #expect(error?.message.hasSuffix(": Is a directory") == true)
    }

    @Test func `a stream of the process is refused when it is opened`() {
        let error = #expect(throws: SystemError.self) { try PublishedReport(path: "/dev/stdout") }
        #expect(error?.message.contains("it is a link to an open stream") == true)
    }
}
