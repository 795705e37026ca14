package import SystemKit
package import Transfer
package import TransferModel

/// The file system's facts about a download's destination before the task starts.
package struct TaskFacts: Sendable {
    /// The occupant of the destination.
    package var occupant: PathOccupant
    /// Whether the file there has the literal checksum of the task; nil without either.
    package var hasChecksum: Bool?
    /// The part that an earlier run has left.
    package var part: LeftPart?

    /// Facts that are known already.
    package init(occupant: PathOccupant, hasChecksum: Bool? = nil) {
        self.occupant = occupant
        self.hasChecksum = hasChecksum
    }

    /// Looks at the destination of a task, and reads its file if a checksum decides; nil for a task
    /// whose destination is not known before the server names it, and for one without.
    ///
    /// nil for a task whose destination is not known before the server names it, and for one
    /// without. The size of the response decides whether a data task has a destination.
    ///
    /// - Parameter task: A task whose settings are known.
    package init?(of task: TaskSpec) {
        guard let destination = task.destination, !destination.isFolder,
            destination.sizeToExceed == nil
        else { return nil }
        occupant = PathOccupant(at: destination.path)
        if occupant == .file, task.isMetByFile, case .digest(let checksum) = destination.checksum {
            let examination = FileExamination(
                destination,
                checksum,
                maximumSize: task.expectation.maximumSize
            )
            hasChecksum = (try? examination.isMet()) ?? false
        }
        part = LeftPart(of: destination, requesting: task.request.url.text)
    }
}
