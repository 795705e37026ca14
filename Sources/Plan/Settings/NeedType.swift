internal import JobFile
internal import SystemKit

/// The type of ids of tasks in `needs` and `when`.
enum NeedType {
    /// The type of an id of a task, or of one row of it.
    static let need = ValueType<Need>(.text(pattern: nil, example: "task")) {
        reader,
        field in
        guard let id = reader.text(field) else { return nil }
        if let need = reader.need(id) { return need }
        let fault = ValueFault(
            .unknownTask,
            "there is no task `\(id)`",
            likely: id.containsBytes(",") ? "[\(id)]" : reader.nearestTask(id)
        )
        reader.report(fault, of: field)
        return nil
    }
}
