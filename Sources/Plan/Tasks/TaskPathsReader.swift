/// Says the paths of any task again, apart from the reading that goes on.
///
/// A class, so that asking costs nothing as long as nobody is answered.
final class TaskPathsReader {
    private let reader: Reader
    private let taskReader: TaskReader

    /// - Parameters:
    ///   - reader: With everything resolved that tasks refer to.
    ///   - taskReader: What reads the tasks.
    init(_ reader: Reader, _ taskReader: TaskReader) {
        self.reader = reader.forReading(reader.tasks)
        self.taskReader = taskReader
    }

    /// The paths of a task; none when it has a fault.
    func paths(of task: Int) -> DestinationIndex.TaskPaths {
        var again = reader
        var draft = taskReader.defaults
        do throws(DataRows.Failure) {
            try again.enterRow(of: task)
        } catch {
            return draft.paths
        }
        _ = taskReader.read(reader.tasks.entry(of: task), into: &draft, with: &again)
        return draft.paths
    }
}
