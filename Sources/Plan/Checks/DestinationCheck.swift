internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Checks that no task writes to a file that the job reads or writes elsewhere, nor below a file.
struct DestinationCheck {
    private var index: DestinationIndex
    /// The fault of the path of `--report`.
    private(set) var reportFault: String?

    /// A check for the tasks of a list.
    init(of tasks: TaskList, in document: Document) {
        // A million rows without a destination take no room.
        let count = tasks.groups.reduce(tasks.entries.count) { count, group in
            let entry = tasks.entries[group.entry]
            let hasDestination =
                entry.kind == .download || entry.kind == .stream
                || ["responseTo", "becomeDownload"].contains {
                    document.value(of: entry.value, for: $0) != nil
                }
            return count + (hasDestination ? group.count : 0)
        }
        index = DestinationIndex(capacity: count)
    }

    /// The files that belong to no task, described in words.
    var files: [(path: String, words: String)] { index.files }

    /// Notes the files that the job reads besides the files of its tasks, by absolute paths.
    mutating func addInputs(
        job paths: [String],
        _ sessions: [SessionConfiguration],
        data dataPaths: [String]
    ) {
        for (number, path) in paths.enumerated() {
            addInput(path, number == 0 ? "the job file itself" : "a file that the job includes")
        }
        for session in sessions {
            if let path = session.tls.caFile { addInput(path, "a `caFile` of the job") }
            if let path = session.ssh?.knownHosts { addInput(path, "a `knownHosts` of the job") }
            for case .ssh(let identity) in session.credentials.map(\.proof) {
                if let path = identity.key { addInput(path, "a private key of the job") }
            }
            for case .clientCertificate(let certificate) in session.credentials.map(\.proof) {
                for path in [certificate.certificate, certificate.key].compactMap(\.self) {
                    addInput(path, "a client certificate of the job, or its key")
                }
            }
        }
        for path in dataPaths { addInput(path, "a data file of the job") }
    }

    private mutating func addInput(_ path: String, _ words: String) {
        index.addInput(AbsolutePath.withoutClimbs(path), words)
    }

    /// Notes the files of all reports, which no task may write or read.
    ///
    /// `--report` replaces the path of the JSON report.
    mutating func addReports(
        of report: ReportDraft,
        _ options: PlanOptions,
        _ reader: inout Reader
    ) {
        for kind in ReportKind.allCases {
            let option = kind == .json ? options.reportPath : nil
            guard let path = option ?? report.files[kind]?.path else { continue }
            let words = option != nil ? "the file of `--report`" : "the report's file"
            // A `..` after a symbolic link leads elsewhere than the text of the path says. A report
            // folder that does not exist yet contains no link. So both paths are compared.
            let plain = AbsolutePath.withoutClimbs(path)
            let input = index.addReport(plain, words) {
                options.isSameFile(path, $0) || options.isSameFile(plain, $0)
            }
            guard let input else { continue }
            let fault = "\(words) is \(input)"
            guard option == nil else {
                reportFault = fault
                continue
            }
            let document = reader.document
            let section = document.value(of: document.root, for: "report")?.value
            let key = section.flatMap { document.value(of: $0, for: kind.rawValue)?.value }
            reader.report(.duplicateDestination, fault, at: key ?? document.root)
        }
    }

    /// Reports paths of a task that conflict with those of other tasks or of the job; `paths` gives
    /// the paths of another task again.
    mutating func check(
        _ own: TaskPaths,
        of task: Int,
        paths: (_ task: Int) -> TaskPaths,
        _ reader: inout Reader
    ) {
        if let source = own.source { checkSource(source, of: task, paths, &reader) }
        for part in own.parts { checkSource(part, of: task, paths, &reader) }
        if let path = own.destination,
            let conflict = index.addDestination(path, of: task, paths: paths)
        {
            Self.report(conflict, of: task, at: Self.destination(of: task, in: reader), &reader)
        }
        if let path = own.archiveFolder,
            let conflict = index.addArchiveFolder(path, of: task, paths: paths)
        {
            let entry = reader.values.tasks.entry(of: task)
            let place = Self.node("extract", of: entry, in: reader)
            Self.report(conflict, of: task, at: place, &reader)
        }
    }

    private mutating func checkSource(
        _ path: String,
        of task: Int,
        _ paths: (Int) -> TaskPaths,
        _ reader: inout Reader
    ) {
        switch index.addSource(path, of: task, paths: paths) {
        case .file(let words):
            let message = "the file that `\(reader.id(of: task).excerpt)` sends is \(words)"
            Self.report(message, at: Self.source(of: task, in: reader), &reader)
        case .destination(let other):
            Self.reportReplaced(source: task, by: other, &reader)
        default: break
        }
    }
}

// MARK: Messages

extension DestinationCheck {
    private static func report(
        _ conflict: DestinationIndex.Conflict,
        of task: Int,
        at place: NodeID,
        _ reader: inout Reader
    ) {
        let id = reader.id(of: task).excerpt
        let message: String
        var other: Int?
        switch conflict {
        case .source(let source):
            return reportReplaced(source: source, by: task, &reader)
        case .destination(let first):
            other = first
            message = "`\(id)` and `\(reader.id(of: first).excerpt)` have the same destination"
        case .file(let words):
            message = "the destination of `\(id)` is \(words)"
        case .belowFile(let words):
            message = "the destination of `\(id)` lies below \(words)"
        case .belowDestination(let outer):
            other = outer
            let outer = reader.id(of: outer).excerpt
            message = "the destination of `\(id)` lies below that of `\(outer)`, which is a file"
        case .aboveFile(let words):
            message = "the destination of `\(id)` is a folder on the way to \(words)"
        case .aboveDestination(let inner):
            other = inner
            let inner = reader.id(of: inner).excerpt
            message = "the destination of `\(id)` is a folder on the way to that of `\(inner)`"
        }
        report(message, at: place, noting: other.map { destination(of: $0, in: reader) }, &reader)
    }

    /// Reports that a result would replace the file that an upload sends.
    private static func reportReplaced(source task: Int, by other: Int, _ reader: inout Reader) {
        let ids = (reader.id(of: other).excerpt, reader.id(of: task).excerpt)
        report(
            "the destination of `\(ids.0)` is the file that `\(ids.1)` sends",
            at: destination(of: other, in: reader),
            noting: source(of: task, in: reader),
            &reader
        )
    }

    private static func report(
        _ message: String,
        at node: NodeID,
        noting other: NodeID? = nil,
        _ reader: inout Reader
    ) {
        var notes: [Diagnostic.Note] = []
        // Two rows of one task have one place.
        if let other, other != node {
            notes.append(
                .init("the other use of the file is here", at: reader.document.range(of: other))
            )
        }
        reader.report(.duplicateDestination, message, at: node, notes: notes)
    }

    private static func destination(of task: Int, in reader: Reader) -> NodeID {
        let entry = reader.values.tasks.entry(of: task)
        let document = reader.document
        let rule = document.value(of: entry.value, for: "becomeDownload")?.value
        if let path = rule.flatMap({ document.value(of: $0, for: "to")?.value }) { return path }
        return node(entry.kind == .download ? "to" : "responseTo", of: entry, in: reader)
    }

    private static func source(of task: Int, in reader: Reader) -> NodeID {
        let entry = reader.values.tasks.entry(of: task)
        return reader.document.value(of: entry.value, for: "file")?.value
            ?? node("multipart", of: entry, in: reader)
    }

    /// The value of a task's key, or the task's id.
    private static func node(
        _ key: String,
        of entry: TaskList.Entry,
        in reader: Reader
    ) -> NodeID {
        reader.document.value(of: entry.value, for: key)?.value ?? entry.key
    }
}
