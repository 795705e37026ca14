internal import TransferModel

/// Writes JUnit XML as Jenkins and GitLab read it: one test case for each task.
///
/// The shape follows the schema of Jenkins' xUnit plugin. Sums of failures, which its schema makes
/// optional, are left out, so that tasks are written as they end. A task that a later run may do
/// (`deferred`), and one that a failed task prevented (`skipped`), are skipped test cases; a
/// cancelled task is an error. A failure of a task with `required: false` fails no run: its test
/// case is skipped, with the failure in its message.
struct JUnitExport: ReportExport {
    var text: [UInt8] = []
    private var jobName = ""

    mutating func open(_ head: ReportedHead) {
        jobName = head.jobName
        let name = XMLText.escaped(head.jobName)
        write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(name)\">\n")
        // Without a fraction and a zone: Jenkins' schema takes no other date.
        let date = head.startDate.rfc3339.prefix(19)
        write("  <testsuite name=\"\(name)\" tests=\"\(head.taskCount)\" timestamp=\"\(date)\"")
        write(" hostname=\"\(XMLText.escaped(head.host))\">\n")
    }

    mutating func receive(_ task: ReportedTask) {
        write("    <testcase classname=\"\(XMLText.escaped("\(jobName).\(task.kind)"))\"")
        write(" name=\"\(XMLText.escaped(task.id))\"")
        write(" time=\"\(Decimal.seconds(task.durationMicroseconds))\"")
        write(" file=\"\(XMLText.escaped(task.place.file))\" line=\"\(task.place.line)\"")
        guard let element = Self.element(of: task) else {
            write("/>\n")
            return
        }
        let kind = task.failure?.kind ?? task.outcome.rawValue
        let message = task.failure?.message ?? task.outcome.rawValue
        write(">\n      <\(element)")
        if element != "skipped" { write(" type=\"\(XMLText.escaped(kind))\"") }
        let front = task.outcome == .failed && element == "skipped" ? "not required: " : ""
        write(" message=\"\(front)\(XMLText.escaped("\(kind): \(message)"))\">")
        write(XMLText.escaped(Self.details(of: task)))
        write("</\(element)>\n    </testcase>\n")
    }

    mutating func finish(_ run: ReportedRun) {
        write("  </testsuite>\n</testsuites>\n")
    }

    private static func element(of task: ReportedTask) -> String? {
        switch task.outcome {
        case .succeeded, .unchanged: nil
        case .failed: task.isRequired ? "failure" : "skipped"
        case .cancelled: "error"
        case .deferred, .skipped: "skipped"
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
    /// Seconds with six digits behind the point.
    static func seconds(_ microseconds: Int64) -> String {
        fraction(microseconds, digits: 6)
    }

    /// Milliseconds with three digits behind the point.
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
