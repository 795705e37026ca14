/// The network at the last look, and the number of its changes.
///
/// Comparing two snapshots misses a change that was undone in between; hence a counter.
struct SeenNetwork: Sendable {
    private(set) var network: NetworkSnapshot
    /// The number of changes seen since the first look.
    private(set) var changes = 0

    init(_ network: NetworkSnapshot) { self.network = network }

    /// Records the result of a look.
    mutating func see(_ found: NetworkSnapshot) {
        if found == network { return }
        network = found
        changes += 1
    }
}
