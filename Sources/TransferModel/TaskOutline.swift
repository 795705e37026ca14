/// What is known of a task that cannot be read as a whole, because what others capture for it is
/// not known.
package struct TaskOutline: Sendable, Hashable {
    /// Position in the plan's list of sessions; nil when it is not known.
    package var session: Int?
    package var method: String
    /// As the job file has it where a part of it is not known.
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
