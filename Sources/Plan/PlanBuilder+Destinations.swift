internal import Diagnostics
internal import JobFile
internal import TransferModel

extension PlanBuilder {
    /// Notes the files that the job reads or writes beside those of its tasks.
    mutating func listFiles(of sessions: [SessionConfiguration]) {
        destinations = DestinationIndex(capacity: destinationCount)
        destinations.addInput(AbsolutePath.withoutClimbs(jobPath), "the job file itself")
        for session in sessions {
            if let path = session.tls.caFile {
                destinations.addInput(AbsolutePath.withoutClimbs(path), "a `caFile` of the job")
            }
            for case .clientCertificate(let certificate) in session.credentials.map(\.proof) {
                for path in [certificate.certificate, certificate.key].compactMap(\.self) {
                    destinations.addInput(
                        AbsolutePath.withoutClimbs(path),
                        "a client certificate of the job, or its key"
                    )
                }
            }
        }
        for path in dataPaths {
            destinations.addInput(AbsolutePath.withoutClimbs(path), "a data file of the job")
        }
        noteReports()
    }

    /// Notes the files of all reports, which no task may write or read.
    private mutating func noteReports() {
        for kind in ReportKind.allCases {
            // `--report` takes the place of the JSON report that the job asks for.
            let option = kind == .json ? options.reportPath : nil
            guard let path = option ?? draft.report.files[kind]?.path else { continue }
            note(reportOf: kind, at: path, isOption: option != nil)
        }
    }

    private mutating func note(reportOf kind: ReportKind, at path: String, isOption: Bool) {
        let words = isOption ? "the file of `--report`" : "the report's file"
        // Behind a link `..` is not what its text says, and before its folder is made it is nothing
        // else.
        let plain = AbsolutePath.withoutClimbs(path)
        let input = destinations.addReport(plain, words) {
            options.isSameFile(path, $0) || options.isSameFile(plain, $0)
        }
        guard let input else { return }
        let fault = "\(words) is \(input)"
        guard !isOption else {
            reportFault = fault
            return
        }
        let report = document.value(of: document.root, for: "report")?.value
        let key = report.flatMap { document.value(of: $0, for: kind.rawValue)?.value }
        let range = document.range(of: key ?? document.root)
        reader.add(Diagnostic(.error, .duplicateDestination, fault, at: range))
    }

    /// How many tasks may have a destination: a million rows without one take no room.
    private var destinationCount: Int {
        let tasks = reader.tasks
        return tasks.groups.reduce(tasks.entries.count) { count, group in
            let entry = tasks.entries[group.entry]
            let hasOne =
                entry.kind == .download
                || document.value(of: entry.value, for: "responseTo") != nil
            return count + (hasOne ? group.count : 0)
        }
    }

    /// Reports paths of a task that cannot be what they are meant to be together with those of the
    /// job.
    ///
    /// `paths` says those of another task again.
    mutating func checkPaths(
        _ own: DestinationIndex.TaskPaths,
        of number: Int,
        paths: TaskPathsReader
    ) {
        if let source = own.source { checkSource(source, of: number, paths: paths) }
        for part in own.parts { checkSource(part, of: number, paths: paths) }
        guard let path = own.destination,
            let conflict = destinations.addDestination(path, of: number, paths: paths)
        else { return }
        report(conflict, of: number)
    }

    private mutating func checkSource(
        _ path: String,
        of number: Int,
        paths: TaskPathsReader
    ) {
        switch destinations.addSource(path, of: number, paths: paths) {
        case .file(let words):
            report("the file that `\(id(number))` sends is \(words)", at: sourceNode(of: number))
        case .destination(let other):
            reportReplaced(source: number, by: other)
        default: break
        }
    }

    private mutating func report(_ conflict: DestinationIndex.Conflict, of number: Int) {
        let subject = "the destination of `\(id(number))`"
        let place = destinationNode(of: number)
        switch conflict {
        case .file(let words):
            report("\(subject) is \(words)", at: place)
        case .source(let other):
            reportReplaced(source: other, by: number)
        case .destination(let other):
            report(
                "`\(id(number))` and `\(id(other))` have the same destination",
                at: place,
                noting: destinationNode(of: other)
            )
        case .belowFile(let words):
            report("\(subject) lies below \(words)", at: place)
        case .belowDestination(let other):
            report(
                "\(subject) lies below that of `\(id(other))`, which is a file",
                at: place,
                noting: destinationNode(of: other)
            )
        case .aboveFile(let words):
            report("\(subject) is a folder on the way to \(words)", at: place)
        case .aboveDestination(let other):
            report(
                "\(subject) is a folder on the way to that of `\(id(other))`",
                at: place,
                noting: destinationNode(of: other)
            )
        }
    }

    /// Reports that a result would replace the file that an upload sends.
    private mutating func reportReplaced(source: Int, by number: Int) {
        report(
            "the destination of `\(id(number))` is the file that `\(id(source))` sends",
            at: destinationNode(of: number),
            noting: sourceNode(of: source)
        )
    }

    private mutating func report(_ message: String, at node: NodeID, noting other: NodeID? = nil) {
        // Two rows of one task have one place.
        let notes = other.flatMap { other in
            other == node
                ? nil : [Diagnostic.Note("the other one is here", at: document.range(of: other))]
        }
        reader.report(.duplicateDestination, message, at: node, notes: notes ?? [])
    }

    private mutating func id(_ number: Int) -> String { reader.id(of: number).excerpt }

    private func destinationNode(of number: Int) -> NodeID {
        let isDownload = reader.tasks.entry(of: number).kind == .download
        return node(of: number, isDownload ? "to" : "responseTo")
    }

    private func sourceNode(of number: Int) -> NodeID {
        let file = document.value(of: reader.tasks.entry(of: number).value, for: "file")
        return file?.value ?? node(of: number, "multipart")
    }

    /// The value of a task's key, or the task's id.
    private func node(of number: Int, _ key: String) -> NodeID {
        let entry = reader.tasks.entry(of: number)
        return document.value(of: entry.value, for: key)?.value ?? entry.key
    }
}
