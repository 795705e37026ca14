import Transfer
import TransferModel

/// The lists of checksums of a run; one task fetches each, once for its session and interfaces.
struct SumsFetches {
    /// One list as some tasks of one session see it.
    struct Key: Hashable {
        var session: Int
        var access: NetworkAccess
        var url: String
    }

    /// The state of a list.
    enum State {
        /// One task fetches the list; the others wait for it.
        case fetching(waiting: [Int])
        case ready(ChecksumList)
        case failed(TransferFailure)
    }

    private(set) var states: [Key: State] = [:]

    /// The state of a list; nil when the task is to fetch it and to call `end` then.
    ///
    /// Notes a task that asks for a list under way as waiting.
    mutating func ask(for key: Key, by task: Int) -> State? {
        let state = states[key]
        switch state {
        case nil: states[key] = .fetching(waiting: [])
        case .fetching(let waiting): states[key] = .fetching(waiting: waiting + [task])
        case .ready, .failed: break
        }
        return state
    }

    /// Ends a fetch; returns the tasks that have waited for it.
    mutating func end(_ key: Key, with state: State) -> [Int] {
        defer { states[key] = state }
        guard case .fetching(let waiting)? = states[key] else { return [] }
        return waiting
    }
}
