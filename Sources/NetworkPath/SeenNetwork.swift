/// The network as it was seen last, and how often it has been another one.
///
/// Who compares by himself what he sees now and then would take no change for what has gone and
/// come meanwhile.
struct SeenNetwork: Sendable {
    private(set) var network: NetworkSnapshot
    /// How many changes were seen since the first look.
    private(set) var changes = 0

    init(_ network: NetworkSnapshot) { self.network = network }

    /// Takes in what a look has found.
    mutating func see(_ found: NetworkSnapshot) {
        if found == network { return }
        network = found
        changes += 1
    }
}
