package import TransferModel

/// All that belongs to a run: a server, or a captured value, may name none of it.
extension Plan {
    /// The folders in which servers name files, each once; nil when a captured value leads to one.
    package func foldersOfServerNames() -> Set<String>? {
        var folders: Set<String> = []
        var areKnown = true
        source.forEachDraft { _, draft in
            if draft.writesToCapturedPath { areKnown = false }
            guard let destination = draft.destination, destination.isFolder else { return }
            folders.insert(destination.path)
        }
        return areKnown ? folders : nil
    }

    /// Names every path that the run reads, runs, sends or writes, in the order of their rights.
    ///
    /// The job may write to a file that it also runs or reads elsewhere, if it names the file: so
    /// the tasks' destinations precede such files. A destination of captured values is not known
    /// yet and is skipped.
    package func forEachPlannedPath(_ body: (PlannedPath) -> Void) {
        for path in source.files.map(\.path) { body(PlannedPath(path, .ofTheRun)) }
        var commands: Set<[String]> = []
        source.forEachDraft { task, draft in
            if let destination = draft.destination, !destination.isKnownLater {
                body(PlannedPath(destination.path, .destination(of: task)))
            }
            // Not even the task's own server may name its file so.
            if let folder = draft.archive?.folder, !folder.isKnownLater {
                body(PlannedPath(folder.path, .ofTheRun))
            }
            for path in draft.sentFiles { body(PlannedPath(path, .ofTheRun)) }
            if case .stream(let stream)? = draft.body, case .command(let words)? = stream.source {
                commands.insert(words)
            }
        }
        let words = (Array(commands) + commandsOfTheRun).joined()
        let paths = inputsOfTheRun + words.flatMap { CommandFiles.paths(of: $0, in: folder) }
        for path in paths { body(PlannedPath(path, .ofTheRun)) }
    }

    /// The commands of hooks, secrets and custom schemes.
    private var commandsOfTheRun: [[String]] {
        let secrets: [[String]] = neededSecrets.compactMap {
            if case .command(let words, _) = $0.source { words } else { nil }
        }
        return finishHooks.map(\.arguments) + secrets
            + sessions.flatMap { $0.protocolPrograms.map(\.command) }
    }

    /// The files of secrets, logins, proxy scripts and bodies.
    private var inputsOfTheRun: [String] {
        var paths = source.reader.templates.paths
        for case .file(let path, _) in neededSecrets.map(\.source) { paths.append(path) }
        for session in sessions {
            if case .file(let path, _)? = session.proxy.servers?.script { paths.append(path) }
            for case .netrc(let path) in session.credentials.map(\.proof) { paths.append(path) }
        }
        return paths
    }
}

extension TaskDraft {
    /// The files that the task sends.
    fileprivate var sentFiles: [String] {
        var paths = webSocket.files + stream.files
        switch body {
        case .file(let path): paths.append(path)
        case .multipart(let parts):
            for case .file(let path)? in parts.map(\.content) { paths.append(path) }
        case .stream(let stream):
            if case .pipe(let path)? = stream.source { paths.append(path) }
        default: break
        }
        return paths
    }
}

/// The files that a command may run or read, as far as its words name them.
enum CommandFiles {
    /// Bytes between the words of a shell's text, or in front of the value of an option.
    private static let separators = Array(" \t\n'\"`;&|()<>=,:$".utf8)

    /// The paths that a word of a command may mean; most are paths of nothing.
    ///
    /// They are the whole word, and each part of a shell's text or of an option such as
    /// `--config=job.ini`.
    static func paths(of word: String, in folder: String) -> [String] {
        let parts = word.utf8.split(whereSeparator: separators.contains)
        return ([word] + (parts.count > 1 ? parts.map { String(Substring($0)) } : []))
            .filter { !$0.isEmpty }
            .map { AbsolutePath.withoutClimbs(AbsolutePath.make($0, in: folder)) }
    }
}
