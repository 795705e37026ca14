import Transfer
import TransferModel

/// The lists of checksums that a run has fetched, fetches or could not fetch: each is asked for
/// once in its session, over the same interfaces.
struct SumsFetches {
    /// One list as some tasks of one session see it.
    struct Key: Hashable {
        var session: Int
        var access: NetworkAccess
        var url: String
    }

    /// How far a list has come.
    enum State {
        /// A task fetches it; these wait for it.
        case fetching(waiting: [Int])
        case ready(ChecksumList)
        case failed(TransferFailure)
    }

    private(set) var states: [Key: State] = [:]

    /// Where the list stands: nil when the task that asks is to fetch it, which it has to say with
    /// `end` when it is over.
    ///
    /// A task that asks for one that is being fetched is noted as waiting.
    mutating func ask(for key: Key, by task: Int) -> State? {
        let state = states[key]
        switch state {
        case nil: states[key] = .fetching(waiting: [])
        case .fetching(let waiting): states[key] = .fetching(waiting: waiting + [task])
        case .ready, .failed: break
        }
        return state
    }

    /// Takes in how the fetch ended; returns the tasks that have waited for it.
    mutating func end(_ key: Key, with state: State) -> [Int] {
        defer { states[key] = state }
        guard case .fetching(let waiting)? = states[key] else { return [] }
        return waiting
    }
}
