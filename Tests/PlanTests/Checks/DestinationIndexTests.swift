import Testing

@testable import Plan

@Suite struct DestinationIndexTests {
    /// The index's conflicts of destinations, and of sources marked by `<`, one task for each path.
    private func conflicts(_ paths: [String], report: String? = nil) -> [String] {
        var index = DestinationIndex(capacity: paths.count)
        index.addInput("/in", "an input")
        if let report { _ = index.addReport(report, "the report") { _ in false } }
        let tasks = paths.map { path in
            path.hasPrefix("<")
                ? TaskPaths(source: String(path.dropFirst())) : TaskPaths(destination: path)
        }
        return tasks.indices.map { task in
            let own = tasks[task]
            let conflict =
                if let source = own.source {
                    index.addSource(source, of: task) { tasks[$0] }
                } else {
                    index.addDestination(own.destination ?? "", of: task) { tasks[$0] }
                }
            return conflict.map { "\($0)" } ?? "-"
        }
    }

    @Test func `two tasks may not have one destination`() {
        #expect(conflicts(["/a", "/b", "/a"]) == ["-", "-", "destination(of: 0)"])
    }

    @Test func `a destination lies neither below nor above another file`() {
        #expect(
            conflicts(["/a/b", "/a/b/c", "/a"])
                == ["-", "belowDestination(of: 0)", "aboveDestination(of: 0)"]
        )
        #expect(
            conflicts(["/r/x", "/d"], report: "/d/r") == ["-", "aboveFile(\"the report\")"]
        )
        #expect(conflicts(["/r/x"], report: "/r") == ["belowFile(\"the report\")"])
    }

    @Test func `several tasks may have one folder`() {
        #expect(conflicts(["/a/", "/a/", "/a/b"]) == ["-", "-", "-"])
    }

    @Test func `a destination replaces no file that the job reads`() {
        #expect(conflicts(["/in"]) == ["file(\"an input\")"])
        #expect(conflicts(["</s", "/s"]) == ["-", "source(of: 0)"])
        #expect(conflicts(["/s", "</s"]) == ["-", "destination(of: 0)"])
        #expect(conflicts(["</r"], report: "/r") == ["file(\"the report\")"])
    }
}
