/// The record of a task that has ended, on its way to the sinks that show and keep it.
///
/// An object, because a record is large and passed on often.
package final class EndedTask: Sendable {
    /// The data about the task.
    package let record: TaskRecord

    /// Creates the end of a task from its record.
    package init(_ record: consuming TaskRecord) { self.record = record }
}
