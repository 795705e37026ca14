/// The run's own bound on retries: a bucket of tokens from which each retry takes one and to which
/// each success returns a tenth.
///
/// It keeps a run from doubling the load of an origin that is failing: once the bucket is empty,
/// one retry in ten successes is all there is. The bucket starts full. Its 500 tokens let every
/// task of a job of 160 have all three retries of the default policy, however badly things go; a
/// task that asks for more attempts than that can have them all, too.
struct RetryBudget {
    /// How many tokens the bucket holds at least.
    static let usualCapacity = 500

    private let capacity: Int
    private var tenths: Int

    /// A bucket of that many tokens; `tokens` is how many of them are there at first, nil for all.
    init(capacity: Int = usualCapacity, tokens: Int? = nil) {
        self.capacity = capacity
        tenths = (tokens ?? capacity) * 10
    }

    /// The full bucket of a job whose most patient task has that many attempts, at least 1.
    init(mostAttempts: Int) {
        self.init(capacity: max(Self.usualCapacity, mostAttempts - 1))
    }

    /// Takes a token for a retry; false when there is none.
    mutating func take() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }

    /// Returns the tenth of a token that a success is worth.
    mutating func deposit() {
        tenths = min(tenths + 1, capacity * 10)
    }
}
