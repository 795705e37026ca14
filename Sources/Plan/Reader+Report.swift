internal import Diagnostics
internal import JobFile

extension Reader {
    /// Reports an error at a value or key.
    mutating func report(
        _ code: JobCode,
        _ message: String,
        at node: NodeID,
        notes: [Diagnostic.Note] = [],
        help: String? = nil
    ) {
        faults.report(code, message, at: node, notes: notes, help: help)
    }

    /// Reports what is wrong with the text of a field's value, or with a part of it.
    mutating func report(_ fault: ValueFault, of field: Field, at part: SourceRange? = nil) {
        faults.report(fault, of: field, at: part)
    }

    /// Reports a key that no table has.
    ///
    /// `x-…` is free space for anchors and notes.
    mutating func reportUnknown(_ key: NodeID, in table: KeyTable) {
        guard !document.isFree(key) else { return }
        let name = document.text(of: key)
        let range = document.range(of: key)
        if let hint = keyWithoutBlank(name, in: table, at: range)
            ?? (table.name == "job"
                ? Hints.taskAtTop(key, in: document).map { .init(help: $0) } : nil)
            ?? ForeignKeys.hint(for: name, in: table)
        {
            let fixIt = hint.key.map { Diagnostic.FixIt(range: range, replacement: $0) }
            let message = "unknown key `\(name.excerpt)`\(context)"
            faults.log.add(
                Diagnostic(.error, .unknownKey, message, at: range, help: hint.help, fixIt: fixIt)
            )
            return
        }
        let nearest = nearestKey(name, in: table)
        let known = table.keys.lazy.filter { $0.shape != nil }.map { "`\($0.name)`" }
        faults.log.add(
            Diagnostic(
                .error,
                .unknownKey,
                "unknown key `\(name.excerpt)`\(context)",
                at: range,
                help: nearest.map { "did you mean `\($0)`?" }
                    ?? "the keys here are \(known.joined(separator: ", "))",
                fixIt: nearest.map { .init(range: range, replacement: $0) }
            )
        )
    }

    /// What is said of `key:value` without a blank, which YAML takes for one word.
    private func keyWithoutBlank(
        _ name: String,
        in table: KeyTable,
        at range: SourceRange
    ) -> ForeignKeys.Hint? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let key = String(name[..<colon])
        guard table.names.contains(key) else { return nil }
        return .init(help: "a space is missing behind `\(key):`")
    }

    /// The key that was probably meant: one that is not supported yet only when it is merely
    /// misspelled.
    private mutating func nearestKey(_ name: String, in table: KeyTable) -> String? {
        guard let nearest = faults.hints.nearest(name, among: table.names) else { return nil }
        let supported = table.keys.lazy.filter { $0.shape != nil }.map(\.name)
        let isMisspelled = abs(nearest.utf8.count - name.utf8.count) <= 2
        if isMisspelled || supported.contains(nearest) { return nearest }
        return faults.hints.nearest(name, among: supported) ?? nearest
    }

    /// Reports a scalar of another type than its setting takes.
    mutating func reportType(
        _ field: Field,
        _ expected: String,
        found scalar: ScalarValue,
        likely: String?
    ) {
        let found = FaultReporter.name(of: scalar.type, scalar.text)
        let fault = ValueFault(.wrongType, "expected \(expected), found \(found)", likely: likely)
        report(fault, of: field)
    }

    /// Reports a text that is none of the names that a setting takes.
    mutating func reportChoice(_ field: Field, _ text: String, names: [String], later: [String]) {
        let shown = text.excerpt
        if later.contains(text) {
            report(
                .notYetSupported,
                "`\(field.name)`: the value `\(text.excerpt)` is not supported yet",
                at: field.node
            )
            return
        }
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        let fault = ValueFault(
            .badValue,
            "`\(shown)` is not one of \(list)",
            likely: Hints.likelyChoice(text, among: names)
        )
        report(fault, of: field)
    }

}
