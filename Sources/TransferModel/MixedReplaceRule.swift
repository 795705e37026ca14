/// The rule for the parts of a `multipart/x-mixed-replace` response.
package struct MixedReplaceRule: Sendable, Hashable {
    /// The parts that are the body of the task.
    package enum Kept: String, Sendable, Hashable, CaseIterable {
        /// Each part replaces the part before it.
        case last
        /// Each part is a line of JSON.
        case all
    }

    /// The parts that are the body of the task.
    package var keep = Kept.last
    /// The number of whole parts after which the task ends; nil for all parts of the server.
    package var stopAfter: Int?

    /// Creates the default: the last part of all.
    package init() {}
}
