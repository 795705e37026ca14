import Diagnostics
import JSON
import JobFile
import Plan
import RegexKit
import SystemKit
import TestSupport
import TransferModel

/// One input taken through everything that `validate` and `plan` do with a file.
struct Trial {
    /// The codes of the diagnostics, sorted, each once; of a plan the number of its tasks up to
    /// three.
    private(set) var answer = ""
    /// What must not be, one sentence each.
    private(set) var faults: [String] = []
    /// Longer outputs are not read again.
    private static let checkedBytes = 64 << 10
    /// Of a range of many tasks the others are like the first.
    private static let readTasks = 20_000
    private var outputs: [(name: String, bytes: [UInt8])] = []

    init(_ bytes: [UInt8]) {
        let parsed = Document.parse(bytes, name: "job.yaml")
        var diagnostics = parsed.diagnostics
        if let document = parsed.document { plan(document, bytes, &diagnostics) }
        if let document = parsed.document {
            render(FileDiagnostics(showing: diagnostics, of: document))
        } else {
            let source = SourceText(name: "job.yaml", bytes: bytes)
            render(FileDiagnostics(showing: diagnostics, ofUnreadable: source))
        }
        answer += Set(diagnostics.map(\.code)).sorted().joined(separator: " ")
    }

    /// Reads what was written as JSON with another reader than the program's own.
    mutating func checkOutputs() {
        for output in outputs where output.bytes.count <= Self.checkedBytes {
            do throws(JSONSyntaxError) {
                _ = try JSONValue(bytes: output.bytes)
            } catch {
                faults.append("the \(output.name) is not JSON: \(error)")
            }
        }
    }

    /// Plans the job; the data files that it asks for have the content of the input.
    private mutating func plan(
        _ document: Document,
        _ bytes: [UInt8],
        _ diagnostics: inout [Diagnostic]
    ) {
        let options = PlanOptions {
            $0.variables = ["a": "1"]
            $0.environment = ["HOME": "/home/someone", "ORIGIN": "http://127.0.0.1:8080"]
            $0.workingFolder = "/jobs"
            $0.patternFault = RegularExpression.fault
            $0.dataFile = { _ in InputData(bytes: bytes) }
            $0.folder = { path, _ in
                path.utf8.count > 40
                    ? .missing
                    : .children([
                        .init("a", .file), .init("b.html", .file), .init(".c", .file),
                        .init("d", .folder), .init("e", .linkToFolder),
                    ])
            }
        }
        do throws(PlanRejected) {
            let plan = try Plan.make(from: document, options: options)
            diagnostics += plan.warnings
            answer += "\(min(plan.taskCount, 3)) "
            let count = min(plan.taskCount, Self.readTasks)
            // What is filled in with captured values is read when they are there.
            for index in 0..<count where plan.captureUses.sources(of: index).isEmpty {
                _ = try plan.task(at: index)
            }
            for index in 0..<count { _ = plan.outline(of: index) }
            if plan.taskCount <= Self.readTasks { list(plan) }
        } catch {
            diagnostics += error.diagnostics
            for fault in error.dataFaults {
                render(fault)
                answer += "\(fault.diagnostics.first?.message.prefix(12) ?? "") "
            }
            if error.dataFaults.isEmpty,
                !error.diagnostics.contains(where: { $0.severity == .error })
            {
                faults.append("a plan is rejected without an error")
            }
        }
    }

    private mutating func list(_ plan: Plan) {
        let listing = PlanListing(plan)
        listing.writeText { _ in }
        var json: [UInt8] = []
        var isWhole = true
        listing.writeJSON { part in
            // Streamed, so that a long one needs no memory: only a short one is kept to be checked.
            isWhole = isWhole && json.count + part.count <= Self.checkedBytes
            guard isWhole else { return }
            for offset in part.indices { json.append(part[offset]) }
        }
        guard isWhole else { return }
        outputs.append(("listing", json))
    }

    private mutating func render(_ report: FileDiagnostics) {
        for diagnostic in report.diagnostics {
            let range = diagnostic.range
            if range.start > range.end || range.start.line < 1 || range.start.column < 1 {
                faults.append("\(diagnostic.code) is at \(range)")
            }
        }
        _ = TextRenderer(report, usesColor: true).render()
        let commands = GitHubRenderer.render(report)
        if commands.utf8.count(where: { $0 == 10 }) != report.diagnostics.count {
            faults.append("the workflow commands are not one line each")
        }
        var writer = JSONWriter(isPretty: true)
        JSONRenderer.write([report], to: &writer)
        outputs.append(("JSON", writer.bytes))
        writer = JSONWriter(isPretty: true)
        SARIFRenderer.write([report], version: "1.0.0", to: &writer)
        outputs.append(("SARIF", writer.bytes))
    }
}
