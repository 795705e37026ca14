package import TransferModel

/// What a run in which servers name files must know of all its tasks before the first one starts.
extension Plan {
    /// The folders in which servers name files, each once; nil when what tasks capture leads to
    /// one.
    package func foldersOfServerNames() -> Set<String>? {
        var folders: Set<String> = []
        var areKnown = true
        forEachDraft(where: { $0 == .download }) { _, draft in
            guard let destination = draft.destination, destination.isFolder else { return }
            if destination.isKnownLater { areKnown = false }
            folders.insert(destination.path)
        }
        return areKnown ? folders : nil
    }

    /// Names every path that a task writes or reads, the run's own files first.
    ///
    /// A destination that is made of captured values is not known yet and passed over.
    package func forEachPlannedPath(_ body: (PlannedPath) -> Void) {
        for path in reservedPaths { body(PlannedPath(path, .ofTheRun)) }
        forEachDraft(where: { _ in true }) { task, draft in
            if let destination = draft.destination, !destination.isKnownLater {
                body(PlannedPath(destination.path, .destination(of: task)))
            }
            switch draft.body {
            case .file(let path): body(PlannedPath(path, .ofTheRun))
            case .multipart(let parts):
                for case .file(let path)? in parts.map(\.content) {
                    body(PlannedPath(path, .ofTheRun))
                }
            case .stream(let stream):
                if case .pipe(let path)? = stream.source { body(PlannedPath(path, .ofTheRun)) }
            default: break
            }
        }
    }

    /// Reads the tasks of some kinds once more, one after the other.
    private func forEachDraft(
        where isWanted: (TaskSpec.Kind) -> Bool,
        _ body: (Int, TaskDraft) -> Void
    ) {
        var reader = reader
        for index in 0..<taskCount {
            let entry = tasks.entry(of: index)
            guard isWanted(entry.kind) else { continue }
            reader.forgetFindings()
            var draft = taskReader.shared.defaults
            // A row that is not there any more fails its task when it starts.
            guard (try? reader.enterRow(of: index)) != nil else { continue }
            _ = taskReader.read(entry, into: &draft, with: &reader)
            body(index, draft)
        }
    }
}
