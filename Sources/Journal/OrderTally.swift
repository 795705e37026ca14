internal import TransferModel

/// What has come of the orders of a run: of the tasks whose idempotency keys it has made.
///
/// Keys are kept by their marks, eight bytes each.
struct OrderTally: Equatable {
    /// Orders that were accepted or refused for good; of a run of the whole job they are not kept.
    private(set) var answered: Set<UInt64> = []
    /// Those among them that were refused: the same order under a new key is another try.
    private(set) var refused: Set<UInt64> = []
    /// Orders that were sent, or may have been, and have no final answer.
    private(set) var unanswered: Set<UInt64> = []
    /// Whether some were not begun at all.
    private(set) var hasUnsent = false
    /// Whether `answered` is kept.
    private let countsAnswered: Bool

    init(countsAnswered: Bool) {
        self.countsAnswered = countsAnswered
    }

    /// Adds a task that has ended.
    mutating func add(_ record: TaskRecord) {
        switch record.madeKey {
        case .none: break
        case .missing: hasUnsent = true
        case .made(let key):
            let mark = KeyRound.mark(of: key)
            let isAccepted = record.outcome == .succeeded || record.outcome == .unchanged
            let isRefused = record.error?.isRefusal ?? false
            guard isAccepted || isRefused else {
                unanswered.insert(mark)
                return
            }
            if isRefused { refused.insert(mark) }
            if countsAnswered { answered.insert(mark) }
        }
    }
}

extension TransferFailure {
    /// Whether the server has refused the order for good, and not put it off: the answer of another try would be the same
    /// under the same key.
    ///
    /// An accepted order whose answer does not look as expected is not one: it was carried out.
    fileprivate var isRefusal: Bool {
        guard kind == .httpStatus, let status = httpStatus else { return false }
        switch status {
        case 408, 409, 425, 429: return false
        default: return (300..<500).contains(status)
        }
    }
}
