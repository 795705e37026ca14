internal import Diagnostics

/// A place where a task uses a capture of another task.
struct CaptureReference: Sendable {
    /// The entry of the task that captures.
    var source: Int
    var range: SourceRange
    /// Whether `when` compares the capture, which a task that did not succeed does not have.
    var isInCondition = false
}
