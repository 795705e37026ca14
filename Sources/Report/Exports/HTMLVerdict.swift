internal import SystemKit
internal import TransferModel

/// The banner of the HTML report: how the run ended, what the exit code means, and what to do next.
struct HTMLVerdict {
    private let run: ReportedRun

    init(_ run: ReportedRun) { self.run = run }

    /// The words about an exit code.
    private struct Words {
        /// The class of the banner: `good`, `later` where a later run may do the rest, or `bad`.
        var tone: String
        var title: String
        var meaning: String

        init(_ tone: String, _ title: String, _ meaning: String) {
            self.tone = tone
            self.title = title
            self.meaning = meaning
        }
    }

    /// The banner as an element of the page.
    var markup: String {
        let words = words
        let head = run.head
        return """
            <header class="verdict \(words.tone)">
            <h1>\(XMLText.escaped(head.jobName)): \(words.title)</h1>
            <p><b>Exit code \(run.exitCode)</b>: \(words.meaning)</p>
            <p>\(run.sums)</p>
            <p class="facts">\(facts.map(XMLText.escaped).joined(separator: " · "))</p>
            </header>
            """
    }

    private var words: Words {
        switch Int32(exactly: run.exitCode).flatMap(ExitCode.init) {
        case .success:
            Words("good", "succeeded", "every required task succeeded or had nothing to do")
        case .temporary:
            Words(
                "later",
                "failed for now",
                "a later run may avoid every failure; run the job again"
            )
        case .deferred:
            Words(
                "later",
                "deferred",
                "time or network did not permit all tasks; run the job later"
            )
        case .deadline:
            Words(
                "later",
                "out of time",
                "schedule.deadline passed; run the job again for the rest"
            )
        case .interrupted, .terminated:
            Words("later", "stopped", "a signal stopped the run; run the job again for the rest")
        case .environment:
            Words("bad", "failed", "this machine lacks something, such as a file or a permission")
        case .integrity:
            Words("bad", "failed", "a checksum or a signature did not match; do not use the file")
        case .taskFailed:
            Words("bad", "failed", "a required task failed for good, or its outcome is unknown")
        default: Words("bad", "failed", "the run did not do its work")
        }
    }

    private var facts: [String] {
        let head = run.head
        var facts = [
            head.jobFile, "\(head.startDate.rfc3339.prefix(19))Z",
            Quantity.duration(microseconds: run.durationMicroseconds), "on \(head.host)",
            "run \(head.runIdentifier)", "runner \(head.runnerVersion)",
        ]
        if let version = head.libcurlVersion {
            facts.append("libcurl \(version)" + (head.tlsVersion.map { " with \($0)" } ?? ""))
        }
        return facts
    }
}
