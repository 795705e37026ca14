package import TransferModel

/// The paths of all tasks, which a run needs before its first task when servers name files.
extension Plan {
    /// The folders in which servers name files, each once; nil when what tasks capture leads to
    /// one.
    package func foldersOfServerNames() -> Set<String>? {
        var folders: Set<String> = []
        var areKnown = true
        source.forEachDraft(where: { $0 == .download }) { _, draft in
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
        source.forEachDraft { task, draft in
            if let destination = draft.destination, !destination.isKnownLater {
                body(PlannedPath(destination.path, .destination(of: task)))
            }
            // Not even the task's own server may name its file so.
            if let folder = draft.archive?.folder, !folder.isKnownLater {
                body(PlannedPath(folder.path, .ofTheRun))
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
            for path in draft.webSocket.files { body(PlannedPath(path, .ofTheRun)) }
            for path in draft.stream.files { body(PlannedPath(path, .ofTheRun)) }
        }
    }
}
