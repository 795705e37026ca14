internal import SystemKit
internal import TransferModel

/// The list of the tasks that did not succeed, as HTML that needs no script.
struct HTMLFailures {
    /// The most tasks of the list; the page's list of tasks has them all.
    private static let mostTasks = 100

    /// Tasks that had an attempt, or would have had one.
    private var failed: [ReportedTask] = []
    /// Tasks that another one kept from beginning, which explain themselves by its failure.
    private var skipped: [ReportedTask] = []
    private var count = 0

    /// Takes note of a task, if it did not succeed, although its `when` let it start.
    mutating func add(_ task: ReportedTask) {
        guard !task.isGood else { return }
        count += 1
        if task.outcome == .skipped {
            if skipped.count < Self.mostTasks { skipped.append(task) }
        } else if failed.count < Self.mostTasks {
            failed.append(task)
        }
    }

    /// The section of the page; empty when every task succeeded.
    var markup: String {
        guard count > 0 else { return "" }
        let shown = (failed + skipped).prefix(Self.mostTasks)
        var lines = [
            #"<section id="failures" aria-labelledby="failures-title">"#,
            #"<h2 id="failures-title">"#
                + (count == 1 ? "1 task did" : "\(count) tasks did") + " not succeed</h2>",
            "<ol>",
        ]
        lines += shown.map(item)
        lines.append("</ol>")
        if count > shown.count {
            lines.append("<p>The list of tasks has \(count - shown.count) more.</p>")
        }
        lines.append("</section>")
        return lines.joined(separator: "\n")
    }

    private func item(_ task: ReportedTask) -> String {
        let place = task.place
        var lines = [
            "<li><a href=\"#task=\(Self.fragment(task.id))\">\(XMLText.escaped(task.id))</a> "
                + "<b class=\"mark \(task.outcome.rawValue)\">\(task.outcome.rawValue)</b>"
                + (task.isRequired ? "" : " (not required)")
        ]
        if let failure = task.failure {
            let kind = task.outcome == .skipped ? "" : failure.kind + ": "
            lines.append("<p>\(XMLText.escaped(kind + failure.message))</p>")
            if let help = failure.help { lines.append("<p>Help: \(XMLText.escaped(help))</p>") }
        }
        var facts = ["<code>\(XMLText.escaped(place.file)):\(place.line):\(place.column)</code>"]
        if task.outcome != .skipped {
            facts.append(XMLText.escaped("\(task.method) \(task.url)"))
        }
        lines.append("<p class=\"soft\">\(facts.joined(separator: " · "))</p></li>")
        return lines.joined(separator: "\n")
    }

    /// The text as a part of a URL's fragment (RFC 3986 §3.5).
    private static func fragment(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte.isUnreserved {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
