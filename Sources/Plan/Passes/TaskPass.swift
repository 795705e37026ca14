/// The fifth pass over a job: reads each task once.
enum TaskPass {
    /// Reads the numbered tasks of `reader` in the order of the file; `checks` get each task.
    ///
    /// Returns the tasks among the first `mostKept` that are kept as values.
    static func read(
        _ taskReader: TaskReader,
        mostKept: Int,
        into checks: inout JobChecks,
        with reader: inout Reader
    ) -> KeptTasks {
        var kept = KeptTasks(capacity: mostKept)
        let groups = reader.values.tasks.groups
        var nextGroup = 0
        for number in reader.values.tasks.entries.indices {
            if nextGroup < groups.count, groups[nextGroup].entry == number {
                var rows = RowPass(nextGroup, of: reader, taskReader)
                rows.read(into: &checks, with: &reader)
                nextGroup += 1
                continue
            }
            let task = taskReader.read(number, mostKept: mostKept, with: &reader)
            checks.note(task, of: number, &reader)
            if let value = task.value { kept.keep(value) }
        }
        reader.faults.owner = .job
        return kept
    }
}
