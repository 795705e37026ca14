/// A value of a task that is read once for each row, by its position in the task's table.
struct DeferredValue: Sendable {
    var position: Int
    var field: Field
}
