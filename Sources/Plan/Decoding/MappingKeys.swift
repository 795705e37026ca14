internal import Diagnostics
internal import JobFile

/// The keys of one mapping, compared with those of its table.
struct MappingKeys {
    private let keys: KeyTable
    private let mapping: NodeID
    /// Where a missing key is reported.
    private let key: NodeID
    /// Bit n is set when key n is there.
    private var seen: UInt64 = 0

    /// A mapping of which no key is noted yet.
    init(_ keys: KeyTable, of mapping: NodeID, ownedBy key: NodeID) {
        self.keys = keys
        self.mapping = mapping
        self.key = key
    }

    /// Notes a key; returns its position in the table, nil after the report of an unknown key.
    mutating func position(of key: NodeID, _ faults: inout FaultReporter) -> Int? {
        guard let position = keys.position(of: key, in: faults.document) else {
            reportUnknown(key, &faults)
            return nil
        }
        seen |= 1 << UInt64(position)
        return position
    }

    /// Reports required, partner and alternative keys that are missing or too many.
    func finish(_ faults: inout FaultReporter) {
        if keys.alternatives != 0 { checkAlternatives(&faults) }
        for (key, partner) in keys.partners
        where seen >> UInt64(key) & 1 == 1 && seen >> UInt64(partner) & 1 == 0 {
            reportLonely(keys.names[key], without: keys.names[partner], &faults)
        }
        let missing = keys.required & ~seen
        guard missing != 0, !faults.document.hasFaultyMerge(mapping) else { return }
        for (position, description) in keys.keys.enumerated()
        where missing >> UInt64(position) & 1 == 1 {
            faults.report(
                .missingKey,
                "the key `\(description.name)`\(faults.context) is required",
                at: key
            )
        }
    }

    /// Reports a key without the other key that gives it a meaning.
    private func reportLonely(_ name: String, without other: String, _ faults: inout FaultReporter)
    {
        guard let entry = faults.document.value(of: mapping, for: name) else { return }
        faults.report(
            .conflictingKeys,
            "`\(name)`\(faults.context) needs `\(other)`, which is missing",
            at: entry.key
        )
    }

    /// Checks that exactly one of a table's alternatives is there.
    private func checkAlternatives(_ faults: inout FaultReporter) {
        let count = (keys.alternatives & seen).nonzeroBitCount
        guard count != 1 else { return }
        let names = keys.alternativeNames.map { "`\($0)`" }.joined(separator: ", ")
        guard count > 1 else {
            if faults.document.hasFaultyMerge(mapping) { return }
            faults.report(
                .missingKey,
                "one of the keys \(names)\(faults.context) is required",
                at: key
            )
            return
        }
        let present = faults.document.entries(of: mapping).filter { entry in
            let position = keys.position(of: entry.key, in: faults.document)
            return position.map { keys.alternatives >> UInt64($0) & 1 == 1 } ?? false
        }
        for entry in present.dropFirst() {
            faults.report(
                .conflictingKeys,
                "only one of the keys \(names)\(faults.context) is allowed",
                at: entry.key,
                notes: present.first.map {
                    [.init("the first one is here", at: faults.document.range(of: $0.key))]
                }
                    ?? []
            )
        }
    }

    /// Reports a key that no table has.
    ///
    /// `x-…` is free space for anchors and notes.
    private func reportUnknown(_ key: NodeID, _ faults: inout FaultReporter) {
        guard !faults.document.isFree(key) else { return }
        let name = faults.document.text(of: key)
        let range = faults.document.range(of: key)
        let content = KeyPlaces.helpForContent(of: key, in: keys, faults.document)
        if let hint = withoutBlank(name)
            ?? ForeignKeys.taskAtTop(key, in: keys, of: faults.document)
            ?? ForeignKeys.hint(for: name, in: keys).map({ $0.suited(to: content, in: keys) })
        {
            let fixIt = hint.key.map { Diagnostic.FixIt(range: range, replacement: $0) }
            let message = "unknown key `\(name.excerpt)`\(faults.context)"
            faults.log.add(
                .unknownKey,
                message,
                at: range,
                help: hint.help,
                fixIt: fixIt
            )
            return
        }
        let inside = KeyPlaces.helpInside(name, of: keys)
        let nearest =
            inside == nil ? faults.hints.nearest(name, among: keys.names) : nil
        faults.log.add(
            .unknownKey,
            "unknown key `\(name.excerpt)`\(faults.context)",
            at: range,
            help: inside ?? nearest.map { "did you mean `\($0)`?" }
                ?? faults.language.flatMap { KeyPlaces.helpElsewhere(name, in: $0) } ?? content
                ?? faults.language.flatMap { helpForForeign(name, in: $0) } ?? knownKeys,
            fixIt: nearest.map { .init(range: range, replacement: $0) }
        )
    }

    /// Advice for a word of other tools for a key of another mapping.
    private func helpForForeign(_ name: String, in language: KeyTable) -> String? {
        guard KeyPlaces.isNearTop(keys, in: language) else { return nil }
        return ForeignKeys.hintElsewhere(for: name)?.help
    }

    /// The first keys of the table, which are the usual ones, and where the others are.
    private var knownKeys: String {
        let shown = keys.names.prefix(Self.mostShown).map { "`\($0)`" }.joined(separator: ", ")
        let others = keys.names.count - Self.mostShown
        guard others > 0 else { return "the keys here are \(shown)" }
        return "the keys here are \(shown) and \(others) more, which `runner schema job` describes"
    }

    /// The most keys in a hint.
    private static let mostShown = 6

    /// A hint for `key:value` without a blank, which YAML reads as one word.
    private func withoutBlank(_ name: String) -> ForeignKeys.Hint? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let key = String(name[..<colon])
        guard keys.names.contains(key) else { return nil }
        return .init(help: "a space is missing after `\(key):`")
    }
}
