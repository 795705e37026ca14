/// The run's own bound on retries: a bucket of tokens from which each retry takes one and to which each success
/// returns a tenth.
///
/// It keeps a run from doubling the load of an origin that is failing: once the bucket is empty, one retry in ten
/// successes is all there is. The bucket starts full. Its 500 tokens let every task of a job of 160 have all three retries
/// of the default policy, however badly things go.
struct RetryBudget {
    /// How many tokens the bucket holds.
    static let capacity = 500

    private var tenths: Int

    init(tokens: Int = RetryBudget.capacity) {
        tenths = tokens * 10
    }

    /// Takes a token for a retry; false when there is none.
    mutating func take() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }

    /// Returns the tenth of a token that a success is worth.
    mutating func deposit() {
        tenths = min(tenths + 1, Self.capacity * 10)
    }
}
