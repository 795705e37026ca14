internal import Diagnostics
internal import JobFile
internal import SystemKit

/// Finds the mappings that have a key, for a key in the wrong mapping.
enum KeyPlaces {
    /// Advice for a key, in any spelling, of a mapping inside the mapping.
    static func helpInside(_ name: String, of table: KeyTable) -> String? {
        inside(ForeignKeys.folded(name), of: table).map { "write `\($0)`" }
    }

    /// Advice for an unknown key by the keys of its value: some stand one mapping too deep, others
    /// belong to another mapping of the table, such as `matrix` under `strategy`.
    static func helpForContent(
        of key: NodeID,
        in table: KeyTable,
        _ document: Document
    ) -> String? {
        let content = document.value(behind: key)
        guard document.kind(of: content) == .mapping else { return nil }
        let words = document.entries(of: content).prefix(mostWords).map {
            ForeignKeys.folded(document.text(of: $0.key))
        }
        let name = document.text(of: key).excerpt
        let main = table.keys.filter(\.isRequired).map(\.name) + table.alternativeNames
        let own = words.lazy.compactMap { Self.key($0, of: table) }.first(where: main.contains)
        if let own {
            return "write `\(own)` here, without `\(name)` around it"
        }
        return words.lazy.filter { Self.key($0, of: table) == nil }
            .compactMap { inside($0, of: table) }.first.map { "write `\($0)`" }
    }

    /// The most keys of a value that are compared with those of the language.
    private static let mostWords = 16

    /// Whether a mapping is the top level or stands directly in it.
    static func isNearTop(_ table: KeyTable, in job: KeyTable) -> Bool {
        table === job || table.name == "session" || job.keys.contains { $0.shape.table === table }
    }

    /// Advice for a key, in any spelling, of sessions, tasks or the top level, or of a mapping
    /// inside the top level; nil for any other word.
    static func helpElsewhere(_ name: String, in job: KeyTable) -> String? {
        let word = ForeignKeys.folded(name)
        if let (key, sections) = sections(with: word, in: job), let last = sections.last {
            let others = sections.dropLast().joined(separator: ", ")
            let all = others.isEmpty ? last : "\(others) and \(last)"
            return "`\(key)` is a key of the entries of \(all)"
        }
        if let key = key(word, of: job) { return "`\(key)` is a key of the top level" }
        return inside(word, of: job).map { "write `\($0)` at the top level" }
    }

    /// A key of one of the mappings inside a mapping, with the key of that mapping.
    private static func inside(_ word: String, of table: KeyTable) -> String? {
        for outer in table.keys {
            guard let key = outer.shape.table.flatMap({ key(word, of: $0) }) else { continue }
            return "\(outer.name): { \(key): … }"
        }
        return nil
    }

    /// The sections of tasks and sessions whose entries have a key, in backticks.
    private static func sections(
        with word: String,
        in job: KeyTable
    ) -> (key: String, sections: [String])? {
        var found: (key: String, sections: [String])?
        for section in job.keys {
            guard case .named(let entry, _, _) = section.shape, let table = entry.table,
                section.name != "secrets", let key = key(word, of: table)
            else { continue }
            found = (key, (found?.sections ?? []) + ["`\(section.name)`"])
        }
        return found
    }

    private static func key(_ word: String, of table: KeyTable) -> String? {
        table.names.first { ForeignKeys.folded($0) == word }
    }
}

extension Shape {
    /// The keys of the mapping that a value may be.
    fileprivate var table: KeyTable? {
        switch self {
        case .mapping(let table): table
        case .either(let one, let other): one.table ?? other.table
        default: nil
        }
    }
}
