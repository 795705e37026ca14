internal import JobFile
internal import SystemKit
internal import TransferModel

/// The paths of a task, which must not conflict with those of other tasks: absolute, without `..`.
struct TaskPaths: Sendable {
    var destination: String?
    /// The folder that an archive is extracted into.
    var archiveFolder: String?
    var source: String?
    /// The files of a multipart body or of a conversation.
    var parts: [String] = []

    /// Whether the task makes a file or a folder at a path.
    func makes(_ path: Span<UInt8>) -> Bool {
        destination?.utf8.span.equals(path) == true
            || archiveFolder?.utf8.span.equals(path) == true
    }

    /// Whether the task sends the file at a path.
    func reads(_ path: String) -> Bool { source == path || parts.contains(path) }
}

extension TaskDraft {
    /// Whether a captured value is a part of a path that the task writes to.
    var writesToCapturedPath: Bool {
        destination?.isKnownLater == true || archive?.folder?.isKnownLater == true
    }

    /// The paths that are known before the run.
    var paths: TaskPaths {
        var paths = TaskPaths()
        if let destination, !destination.isKnownLater {
            paths.destination = AbsolutePath.withoutClimbs(destination.path)
        }
        if let folder = archive?.folder, !folder.isKnownLater {
            paths.archiveFolder = AbsolutePath.withoutClimbs(folder.path)
        }
        switch body {
        case .file(let path):
            paths.source = AbsolutePath.withoutClimbs(path)
        case .multipart(let drafts):
            for case .file(let path)? in drafts.map(\.content) {
                paths.parts.append(AbsolutePath.withoutClimbs(path))
            }
        default: break
        }
        for path in webSocket.files { paths.parts.append(AbsolutePath.withoutClimbs(path)) }
        for path in stream.files { paths.parts.append(AbsolutePath.withoutClimbs(path)) }
        return paths
    }
}
