internal import JobFile

/// Checks the names of sessions and tasks.
enum IDCheck {
    /// Reports a key that is no id; `what` says what it names.
    static func check(_ key: NodeID, _ what: String, _ reader: inout Reader) {
        guard !reader.document.withBytes(of: key, TaskID.isValid) else { return }
        reader.report(
            .badID,
            "`\(reader.document.text(of: key))` is not a \(what)",
            at: key,
            help: "it has letters, digits, `.`, `_` and `-`, and begins with a letter or digit"
        )
    }
}
