internal import SystemKit
internal import TransferModel

/// Writes JUnit XML as Jenkins and GitLab read it: one test case for each task.
///
/// The shape follows the schema of Jenkins' xUnit plugin. The sums stand before the tasks, although
/// tasks are written as they end: the text begins with room for the sums. A task that a later run
/// may do (`deferred`), and one that a failed task prevented (`skipped`), are skipped test cases; a
/// cancelled task is an error. A failure of a task with `required: false` fails no run: its test
/// case is skipped, with the failure in its message.
struct JUnitExport: ReportExport {
    /// The test cases of each kind, and the length of the run.
    private struct Sums {
        var failures = 0
        var errors = 0
        var skipped = 0
        var durationMicroseconds: Int64 = 0

        mutating func add(_ task: ReportedTask) {
            switch JUnitExport.element(of: task) {
            case .failure?: failures += 1
            case .error?: errors += 1
            case .skipped?: skipped += 1
            case nil: break
            }
        }
    }

    private enum Element: String {
        case failure, error, skipped
    }

    /// The bytes of the sums in a tag: enough for numbers of twelve digits.
    private static let roomForSums = 128

    var text: [UInt8] = []
    private(set) var front: [UInt8]?
    private let paths: RepositoryPaths?
    private var head: ReportedHead?
    private var sums = Sums()
    private var hasSums = false
    /// The length of the text before the tasks, as it was written.
    private var frontLength = 0

    /// With `paths`, each test case has its place in the job file as attributes, which GitLab reads
    /// and Jenkins' schema forbids.
    init(_ paths: RepositoryPaths?) { self.paths = paths }

    mutating func prepare(_ report: ReportReader) throws {
        try report.forEachTask { sums.add($0) }
        sums.durationMicroseconds = report.run.durationMicroseconds
        hasSums = true
    }

    mutating func open(_ head: ReportedHead) {
        self.head = head
        write(Self.front(of: head, hasSums ? sums : nil))
        frontLength = text.count
    }

    /// The text before the tasks; it has the same length with and without the sums.
    private static func front(of head: ReportedHead, _ sums: Sums?) -> String {
        let name = XMLText.escaped(head.jobName)
        let room = sums.map { sums in
            let counts = " failures=\"\(sums.failures)\" errors=\"\(sums.errors)\""
            let time = " time=\"\(Decimal.seconds(sums.durationMicroseconds))\""
            // Jenkins' schema has `skipped` in the inner element only.
            return [counts + time, "\(counts) skipped=\"\(sums.skipped)\"\(time)"]
        }
        let attributes = (room ?? ["", ""]).map {
            $0 + String(repeating: " ", count: max(0, roomForSums - $0.utf8.count))
        }
        // Without a fraction and a zone: Jenkins' schema takes no other date.
        let date = head.startDate.rfc3339.prefix(19)
        let tests = "tests=\"\(head.taskCount)\""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(name)" \(tests)\(attributes[0])>
              <testsuite name="\(name)" \(tests) timestamp="\(date)" \
            hostname="\(XMLText.escaped(head.host))"\(attributes[1])>

            """
    }

    mutating func receive(_ task: ReportedTask) {
        if !hasSums { sums.add(task) }
        let jobName = head?.jobName ?? ""
        write("    <testcase classname=\"\(XMLText.escaped("\(jobName).\(task.kind)"))\"")
        write(" name=\"\(XMLText.escaped(task.id))\"")
        write(" time=\"\(Decimal.seconds(task.durationMicroseconds))\"")
        if let paths {
            let file = XMLText.escaped(paths.path(of: task.place.file))
            write(" file=\"\(file)\" line=\"\(task.place.line)\"")
        }
        guard let element = Self.element(of: task) else {
            write("/>\n")
            return
        }
        let kind = task.failure?.kind ?? task.outcome.rawValue
        let message = task.failure?.message ?? task.outcome.rawValue
        write(">\n      <\(element.rawValue)")
        if element != .skipped { write(" type=\"\(XMLText.escaped(kind))\"") }
        let front = task.outcome == .failed && element == .skipped ? "not required: " : ""
        write(" message=\"\(front)\(XMLText.escaped("\(kind): \(message)"))\">")
        write(XMLText.escaped(Self.details(of: task)))
        write("</\(element.rawValue)>\n    </testcase>\n")
    }

    mutating func finish(_ run: ReportedRun) {
        write("  </testsuite>\n</testsuites>\n")
        guard !hasSums, let head else { return }
        sums.durationMicroseconds = run.durationMicroseconds
        let text = Self.front(of: head, sums).utf8
        if text.count == frontLength { front = Array(text) }
    }

    private static func element(of task: ReportedTask) -> Element? {
        switch task.outcome {
        case .succeeded, .unchanged: nil
        case .failed: task.isRequired ? .failure : .skipped
        case .cancelled: .error
        case .deferred, .skipped: .skipped
        }
    }

    /// The lines below the message: the place in the job file, the task's request, and advice.
    private static func details(of task: ReportedTask) -> String {
        let place = task.place
        var lines = ["\(place.file):\(place.line):\(place.column)"]
        let status = task.statusCode.map { " answered \($0)" } ?? ""
        lines.append("\(task.method) \(task.url)\(status)")
        if task.attemptCount > 1 { lines.append("\(task.attemptCount) attempts") }
        if let help = task.failure?.help { lines.append("help: \(help)") }
        return lines.joined(separator: "\n")
    }

    private mutating func write(_ text: String) { self.text += text.utf8 }
}

/// Writes numbers of microseconds as decimal fractions.
enum Decimal {
    /// Seconds with six digits after the point.
    static func seconds(_ microseconds: Int64) -> String {
        fraction(microseconds, digits: 6)
    }

    /// Milliseconds with three digits after the point.
    static func milliseconds(_ microseconds: Int64) -> String {
        fraction(microseconds, digits: 3)
    }

    private static func fraction(_ value: Int64, digits: Int) -> String {
        var unit: Int64 = 1
        for _ in 0..<digits { unit *= 10 }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: UInt64(unit))
        let text = String(rest)
        let zeros = String(repeating: "0", count: max(0, digits - text.utf8.count))
        return "\(value < 0 ? "-" : "")\(whole).\(zeros)\(text)"
    }
}
