/// Reads the paths of any task again, with a reader of its own.
///
/// A class, so that passing it on copies no reader.
final class TaskPathsReader {
    private let reader: Reader
    private let taskReader: TaskReader

    /// - Parameters:
    ///   - reader: With everything resolved that tasks refer to.
    ///   - taskReader: The reader of the tasks.
    init(_ reader: Reader, _ taskReader: TaskReader) {
        self.reader = reader.forReading(reader.values.tasks)
        self.taskReader = taskReader
    }

    /// The paths of a task; those of `defaults` when its row is lost.
    func paths(of task: Int) -> TaskPaths {
        var again = reader
        return (taskReader.draft(of: task, with: &again) ?? taskReader.shared.defaults).paths
    }
}
