internal import Diagnostics
internal import JobFile
internal import RegexKit
internal import TransferModel

/// `when`: the conditions under which a task starts.
enum WhenTable {
    /// One mapping of conditions, all of which have to hold.
    struct Draft {
        /// The outcomes that the mapping names, in its order, and the key of each.
        var terms: [(need: Need, ends: [NeedEnd], key: String)] = []
        /// Whether its comparisons hold, as far as their values are known.
        var holds = true
    }

    static let table = SettingTable<Draft>(
        "when",
        [
            ends("failed", [.failed], "Tasks that must have failed."),
            ends("succeeded", [.succeeded], "Tasks that must have succeeded."),
            ends(
                "skipped",
                [.skipped],
                "Tasks that must have been skipped, by their needs or their own `when`."
            ),
            ends("deferred", [.deferred], "Tasks that must have been deferred."),
            ends(
                "ended",
                [.succeeded, .skipped, .deferred, .failed],
                "Tasks that must have ended, no matter how."
            ),
            comparison(
                "equals",
                2...mostValues,
                "A list: its first value must be one of the others."
            ) { value, others in others.contains(value) },
            comparison(
                "differs",
                2...mostValues,
                "A list: its first value must be none of the others."
            ) { value, others in !others.contains(value) },
            comparison(
                "matches",
                2...2,
                "A list of a value and a PCRE2 pattern, which must match a part of the value."
            ) { value, others in matches(value, others[0]) },
        ],
        shorthand: Shorthand(
            advice: "a task starts when its `needs` have succeeded; for another end, write "
                + "`when: { failed: ID }` or `when: { ended: ID }`"
        )
    )

    static let type = ValueType<When>(.oneOrMore(.mapping(table.keys))) { when($1, &$0) }.faultless

    /// The most values of one list, including the first.
    private static let mostValues = 1000

    /// The keys with ids of tasks.
    private static let endKeys = ["failed", "succeeded", "skipped", "deferred", "ended"]

    /// The ids in a value of `when`, as far as its form is valid.
    static func ids(in when: NodeID, _ document: Document) -> [NodeID] {
        document.items(of: when).flatMap { mapping in
            endKeys.flatMap { key in
                document.value(of: mapping, for: key).map { document.items(of: $0.value) } ?? []
            }
        }
    }
}

extension WhenTable {
    private static func ends(
        _ key: String,
        _ ends: [NeedEnd],
        _ summary: String
    ) -> Setting<Draft> {
        Setting(key, needs, summary) { draft, needs in
            draft.terms += needs.map { ($0, ends, key) }
        }
    }

    private static let needs: ValueType<[Need]> = {
        let list = ValueType<[Need]>.oneOrMore(of: NeedType.need)
        let needs = ValueType<[Need]>(list.shape) { reader, field in
            // The plan's graph has them.
            reader.isReadingAgain ? [] : list.read(&reader, field)
        }
        return needs.neededBeforeTheRun()
    }()

    private static func comparison(
        _ key: String,
        _ counts: ClosedRange<Int>,
        _ summary: String,
        holds: @escaping @Sendable (String, [String]) -> Bool
    ) -> Setting<Draft> {
        let type = ValueType<Bool>(.tuple(.text(pattern: nil), counts)) { reader, field in
            guard let values = values(field, counts, &reader), reader.values.decidesCondition
            else { return false }
            return holds(values[0], Array(values.dropFirst()))
        }
        return Setting(key, type, summary) { $0.holds = $0.holds && $1 }
    }
}

extension WhenTable {
    /// The alternatives of a value of `when`.
    private static func when(_ field: Field, _ reader: inout Reader) -> When? {
        let document = reader.document
        let mappings = document.items(of: field.node)
        guard 1...AlternativeSet.capacity ~= mappings.count else {
            reader.report(
                .outOfRange,
                "`when`: a list has from 1 to \(AlternativeSet.capacity) mappings, found "
                    + "\(mappings.count)",
                at: field.node
            )
            return nil
        }
        var when = When()
        for (number, node) in mappings.enumerated() {
            var draft = Draft()
            reader.apply(table, to: &draft, in: Field(name: "when", key: field.key, node: node))
            if document.kind(of: node) == .mapping, document.count(of: node) == 0 {
                let help = "name an outcome, such as `failed: id`, or compare values"
                reader.report(.missingKey, "`when` has no condition", at: node, help: help)
            }
            checkOnce(draft, at: node, &reader)
            when.requirements += draft.terms.map {
                let term = NeedTerm($0.ends, alternative: number, of: mappings.count)
                return Requirement(need: $0.need, term: term)
            }
            if draft.holds { when.held.insert(AlternativeSet(number)) }
        }
        return when
    }

    /// Reports a task that a mapping names under two keys: it ends in one way only.
    private static func checkOnce(_ draft: Draft, at node: NodeID, _ reader: inout Reader) {
        var keys: [Need: String] = [:]
        for term in draft.terms {
            guard let known = keys.updateValue(term.key, forKey: term.need), known != term.key
            else { continue }
            let id = reader.id(of: term.need).excerpt
            reader.report(
                .conflictingKeys,
                "`\(id)` is listed under `\(known)` and `\(term.key)`, but a task ends in one way",
                at: node,
                help: "list it once; for \"one or the other\", make `when` a list of two mappings"
            )
        }
    }

    /// The values of a comparison; nil when one of them has a fault, or is not known before the
    /// task starts, or its task has not captured it.
    private static func values(
        _ field: Field,
        _ counts: ClosedRange<Int>,
        _ reader: inout Reader
    ) -> [String]? {
        guard reader.isList(field) else { return nil }
        let nodes = Array(reader.document.elements(of: field.node))
        guard counts ~= nodes.count else {
            let words = counts.count == 1 ? "2 values" : "2 values or more"
            reader.report(
                .outOfRange,
                "`\(field.name)`: expected \(words), found \(nodes.count)",
                at: field.node
            )
            return nil
        }
        if !nodes.contains(where: { reader.document.hasInterpolation($0) }) {
            reader.faults.log.warn(
                .constantCondition,
                "`\(field.name)` in `when` compares constants, so that it always or never holds",
                at: reader.document.range(of: field.node),
                help: "compare an expression, such as `${task.ID.name}` or `${var.name}`"
            )
        }
        let isPattern = field.name == "matches"
        let texts = reader.with(\.isReadingCondition, true) { reader in
            nodes.enumerated().compactMap { number, node -> String? in
                let field = Field(name: field.name, key: field.key, node: node)
                return isPattern && number == 1
                    ? CaptureTable.pattern.read(&reader, field) : reader.text(field)
            }
        }
        return texts.count == nodes.count ? texts : nil
    }

    /// Whether a pattern matches a part of a value; a search that takes too long has not found it.
    private static func matches(_ value: String, _ pattern: String) -> Bool {
        guard let expression = try? RegularExpression(pattern),
            case .found = expression.search(value.utf8.span, for: .wholeMatch)
        else { return false }
        return true
    }
}
