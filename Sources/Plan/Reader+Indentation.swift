internal import Diagnostics
internal import JobFile

// Hints for mappings whose keys do not stand where they were meant to.
extension Reader {
    /// Says why there may be another value where a mapping of a table belongs.
    ///
    /// - Parameters:
    ///   - keys: The keys of the mapping.
    ///   - value: What stands there.
    ///   - key: What it stands under.
    /// - Returns: What to write; nil when nothing tells.
    func indentationHint(_ keys: KeyTable, _ value: NodeID, _ key: NodeID) -> String? {
        guard document.kind(of: value) == .scalar else { return nil }
        let name = document.text(of: key)
        if document.scalar(of: value) == .null {
            return "indent what belongs to `\(name.excerpt)` further than it"
        }
        // A key of a task that stands in the column of the task's id becomes a task of its own.
        if keys.names.contains(name) { return "indent `\(name)` further than what it belongs to" }
        let text = document.text(of: value)
        guard document.isPlain(value), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let first = String(text[..<colon])
        return keys.names.contains(first) ? "a space is missing behind `\(first):`" : nil
    }

    /// What is said of a section that has no mapping below it.
    static func sectionHint(_ name: String) -> String {
        "indent what belongs to `\(name)` further than it"
    }

    /// What is said of a key of the top level that is probably a task; nil for any other.
    func taskAtTopHint(_ key: NodeID) -> String? {
        guard let value = document.value(of: document.root, for: document.text(of: key))?.value,
            document.kind(of: value) == .mapping, document.value(of: value, for: "url") != nil
        else { return nil }
        return
            "a task stands below `data`, `uploads` or `downloads`, and is indented further than they are"
    }
}
