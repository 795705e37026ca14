internal import Diagnostics
internal import JobFile
internal import SystemKit

/// Finds rows of one `forEach` that have the same key.
///
/// The check keeps eight bytes for each key, and looks at the keys themselves only where two hashes
/// are equal.
struct RowKeyCheck {
    private var hashes: [UInt64] = []

    /// A check of as many keys.
    init(capacity: Int) { hashes.reserveCapacity(capacity) }

    /// How many keys were noted.
    var count: Int { hashes.count }

    /// Notes the key of the next row.
    mutating func note(_ key: String) { hashes.append(key.utf8.span.seededHash) }

    /// The first hashes that several keys share; forgets the noted keys.
    mutating func repeatedHashes() -> Set<UInt64> {
        hashes.sort()
        let pairs = zip(hashes, hashes.dropFirst()).lazy
        defer { hashes = [] }
        return Set(pairs.filter { $0 == $1 }.map(\.0).prefix(DataFiles.shownRows))
    }

    /// Reports rows of a group that have the key of an earlier row.
    mutating func report(in group: TaskGroup, _ reader: inout Reader) {
        let repeated = repeatedHashes()
        guard !repeated.isEmpty else { return }
        let entry = reader.values.tasks.entries[group.entry]
        reader.faults.owner = .task(entry.kind, entry.key)
        var firsts: [String: Int] = [:]
        var shown = 0
        var cursor = RowCursor(group.rows)
        for row in 0..<group.rows.count where shown < DataFiles.shownRows {
            guard let item = try? cursor.row(at: row),
                let key = RowKey.key(of: item, in: group.rows, &reader),
                repeated.contains(key.utf8.span.seededHash)
            else { continue }
            if let first = firsts[key] {
                Self.report(key, row, first, of: group, &reader)
                shown += 1
            } else {
                firsts[key] = row
            }
        }
    }

    private static func report(
        _ key: String,
        _ row: Int,
        _ first: Int,
        of group: TaskGroup,
        _ reader: inout Reader
    ) {
        let message = "duplicate key `\(key.excerpt)`\(reader.context)"
        let help =
            "each task of a `forEach` needs its own key: set `key` to a value that differs in "
            + "each item"
        switch group.rows.form {
        case .data(let rows):
            guard let second = rows.text(of: row), let first = rows.text(of: first) else { return }
            let start = SourcePosition(line: second.line, column: 1)
            let other = SourceRange(SourcePosition(line: first.line, column: 1))
            let source = SourceText(
                name: rows.name,
                bytes: Array(second.text),
                firstLine: second.line
            )
            reader.faults.log.add(
                FileDiagnostics(
                    showing: Diagnostic(
                        .error,
                        .duplicateKey,
                        message,
                        at: SourceRange(start),
                        notes: [.init("the first one is here", at: other)],
                        help: help
                    ),
                    ofRow: source,
                    names: DeclaredNames.all(of: reader.document)
                )
            )
        case .items(let nodes):
            let first = reader.document.range(of: nodes[first])
            reader.report(
                .duplicateKey,
                message,
                at: nodes[row],
                notes: [.init("the first one is here", at: first)],
                help: help
            )
        default:
            let node = (group.rows.key ?? group.rows.field).node
            reader.report(.duplicateKey, message, at: node, help: help)
        }
    }
}
