/// The action of a run for a task here and now, as `runner plan --diff` lists it.
package struct TaskOutlook: Sendable, Hashable {
    /// The first action of a run.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// Send a request that may change the server.
        case send
        /// Fetch a response.
        case fetch
        /// Fetch the rest of a file.
        case resume
        /// Ask the server whether a file has changed.
        case check
        /// Hold a conversation.
        case connect
        /// Request nothing, because the file is there.
        case keep
        /// Fail before anything is requested.
        case fail

        /// The longest name, characters.
        static let width = allCases.map(\.rawValue.utf8.count).max() ?? 0
    }

    /// The action of a run.
    package let action: Action
    /// The reason or the place, in a few words; empty if nothing is to be said.
    package let detail: String
    /// The bytes of the file that an earlier run has left; nil unless the action is `resume`.
    package let presentBytes: Int64?
    /// The bytes of the whole file; nil unless the action is `resume`.
    package let totalBytes: Int64?

    /// An outlook without counts, or with the counts of a part.
    package init(
        _ action: Action,
        _ detail: String,
        presentBytes: Int64? = nil,
        totalBytes: Int64? = nil
    ) {
        self.action = action
        self.detail = detail
        self.presentBytes = presentBytes
        self.totalBytes = totalBytes
    }
}
