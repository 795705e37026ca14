/// The known properties of a task that is incomplete, because values captured by other tasks are
/// missing.
package struct TaskOutline: Sendable, Hashable {
    /// Position in the plan's list of sessions; nil if unknown.
    package var session: Int?
    package var method: String
    /// As in the job file if a part is unknown.
    package var url: String
    package var description: String?
    package var source: SourceLocation

    package init(
        session: Int?,
        method: String,
        url: String,
        description: String?,
        source: SourceLocation
    ) {
        self.session = session
        self.method = method
        self.url = url
        self.description = description
        self.source = source
    }
}
