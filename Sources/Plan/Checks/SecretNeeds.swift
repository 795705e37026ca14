/// Keeps which secrets the tasks of each entry use.
struct SecretNeeds {
    /// The entries with secrets, in file order.
    private var entries: [(entry: Int, secrets: SecretSet)] = []

    /// Notes the secrets of the tasks of an entry.
    mutating func note(_ secrets: SecretSet, of entry: Int) {
        if !secrets.isEmpty { entries.append((entry, secrets)) }
    }

    /// The secrets of the entries for which a condition holds.
    func secrets(where isChosen: (_ entry: Int) -> Bool) -> SecretSet {
        var needed = SecretSet()
        for (entry, secrets) in entries where isChosen(entry) { needed.formUnion(secrets) }
        return needed
    }
}
