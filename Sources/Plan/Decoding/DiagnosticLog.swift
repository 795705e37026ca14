internal import Diagnostics
internal import JobFile

/// The diagnostics of one reading of a job, up to a limit.
struct DiagnosticLog {
    /// Errors and warnings in the order in which they were found.
    private(set) var diagnostics: [Diagnostic] = []
    /// Faults of data files, one by one.
    private(set) var dataFaults: [FileDiagnostics] = []
    private(set) var errorCount = 0
    /// Whether a fault of the environment is only a warning; the value that the environment should
    /// give then counts as known later.
    var toleratesEnvironment = false
    private let showsWarnings: Bool
    private var warnings: Set<Diagnostic> = []
    /// Further warnings are dropped: many warnings do not make a valid job invalid.
    private static let shownWarnings = 100
    /// Rows named in the notes of one fault.
    private static let shownRows = 4

    /// An empty log.
    ///
    /// - Parameter showsWarnings: False for a log that the user never sees, so that readers skip
    ///   the search for warnings.
    init(showsWarnings: Bool) { self.showsWarnings = showsWarnings }

    /// Whether the log has reached the limit of errors, so that further checks are useless.
    var isFull: Bool { errorCount >= DocumentLimits.diagnostics }

    /// Whether the log holds no fault and no warning since `forget`.
    var isEmpty: Bool { !hasErrors && diagnostics.isEmpty }

    /// Whether the log holds an error since `forget`.
    var hasErrors: Bool { errorCount > 0 }

    /// Whether the user would see another warning.
    var takesWarnings: Bool { showsWarnings && warnings.count < Self.shownWarnings }

    /// The number of diagnostics, for `addNote`.
    var mark: Int { diagnostics.count }

    /// Empties the log; it still adds no warning twice.
    mutating func forget() {
        diagnostics.removeAll()
        dataFaults.removeAll()
        errorCount = 0
    }

    /// Adds a diagnostic; a diagnostic about the limit follows the error that reaches it.
    mutating func add(_ diagnostic: Diagnostic) {
        guard !isFull else { return }
        if toleratesEnvironment, JobCode(rawValue: diagnostic.code)?.isEnvironment == true {
            var warning = diagnostic
            warning.severity = .warning
            return addWarning(warning)
        }
        guard diagnostic.severity == .error else { return addWarning(diagnostic) }
        diagnostics.append(diagnostic)
        errorCount += 1
        guard isFull else { return }
        let message =
            "the rest of the file was not checked, because \(errorCount) faults are listed"
        diagnostics.append(Diagnostic(.error, .tooManyFaults, message, at: diagnostic.range))
    }

    /// Adds an error.
    mutating func add(
        _ code: JobCode,
        _ message: String,
        at range: SourceRange,
        notes: [Diagnostic.Note] = [],
        help: String? = nil,
        generalHelp: String? = nil,
        fixIt: Diagnostic.FixIt? = nil
    ) {
        add(
            Diagnostic(
                .error,
                code,
                message,
                at: range,
                notes: notes,
                help: help,
                generalHelp: generalHelp,
                fixIt: fixIt
            )
        )
    }

    /// Adds a warning.
    mutating func warn(
        _ code: JobCode,
        _ message: String,
        at range: SourceRange,
        notes: [Diagnostic.Note] = [],
        help: String? = nil,
        fixIt: Diagnostic.FixIt? = nil
    ) {
        add(Diagnostic(.warning, code, message, at: range, notes: notes, help: help, fixIt: fixIt))
    }

    /// Adds a fault of a data file.
    mutating func add(_ fault: FileDiagnostics) {
        guard !isFull else { return }
        dataFaults.append(fault)
        errorCount += 1
    }

    /// Adds a note, which names a row, to the errors since a mark.
    ///
    /// If an earlier row has caused the same error, the note is added to the earlier error instead.
    /// `known` holds the positions of these errors.
    mutating func addNote(_ note: Diagnostic.Note, since mark: Int, known: inout [Diagnostic: Int])
    {
        let new = diagnostics[mark...]
        diagnostics.removeLast(new.count)
        for var diagnostic in new {
            guard diagnostic.severity == .error else {
                diagnostics.append(diagnostic)
                continue
            }
            if let first = known[diagnostic] {
                errorCount -= 1
                let isShort =
                    diagnostics[first].notes.count < diagnostic.notes.count + Self.shownRows
                if isShort { diagnostics[first].notes.append(note) }
                continue
            }
            known[diagnostic] = diagnostics.count
            diagnostic.notes.append(note)
            diagnostic.isAboutData = true
            diagnostics.append(diagnostic)
        }
    }

    /// Adds a note to the diagnostics since a mark, and removes their edits: they point at the name
    /// of a file, where an edit would not fix the file's content.
    mutating func explain(since mark: Int, _ note: Diagnostic.Note) {
        for index in diagnostics.indices.dropFirst(mark) {
            diagnostics[index].fixIt = nil
            diagnostics[index].notes.append(note)
        }
    }

    /// Adds a help to each diagnostic since a mark that has one of the codes, is at that place, and
    /// has no help.
    mutating func addHelp(
        _ help: String,
        to codes: [JobCode],
        at range: SourceRange,
        since mark: Int
    ) {
        for index in diagnostics.indices.dropFirst(mark)
        where diagnostics[index].range == range
            && diagnostics[index].help == nil
            && codes.contains(where: { $0.rawValue == diagnostics[index].code })
        {
            diagnostics[index].help = help
        }
    }

    /// Adds a warning; the last warning within the limit says that further ones are not listed.
    private mutating func addWarning(_ warning: Diagnostic) {
        guard warnings.count < Self.shownWarnings, warnings.insert(warning).inserted else { return }
        var warning = warning
        if warnings.count == Self.shownWarnings {
            warning.notes.append(.init("further warnings are not listed"))
        }
        diagnostics.append(warning)
    }
}
