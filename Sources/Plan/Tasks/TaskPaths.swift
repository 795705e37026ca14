internal import JobFile
internal import TransferModel

/// The paths of a task that must not meet those of other tasks: absolute and without climbs.
struct TaskPaths: Sendable {
    var destination: String?
    var source: String?
    /// The files of a multipart body or of a conversation.
    var parts: [String] = []

    /// Whether the task sends the file of a path.
    func reads(_ path: String) -> Bool { source == path || parts.contains(path) }
}

extension TaskDraft {
    /// The paths that are known before the run.
    var paths: TaskPaths {
        var paths = TaskPaths()
        if let destination, !destination.isKnownLater {
            paths.destination = AbsolutePath.withoutClimbs(destination.path)
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
