internal import Diagnostics
internal import JobFile

/// Finds what holds for each key of a table, and where that was set.
struct SettingWalk {
    let reader: Reader
    private(set) var rows: [SettingRow] = []

    init(_ reader: Reader) { self.reader = reader }

    /// Adds the settings of a table; the first of the mappings that has a key says what holds.
    mutating func walk(_ table: KeyTable, in mappings: [NodeID], path: String = "") {
        for key in table.keys {
            guard let shape = key.shape else { continue }
            let found = mappings.compactMap { reader.document.value(of: $0, for: key.name) }
            switch shape {
            case .mapping(let inner):
                // Without a value of its own a required key in there is not a default but absent.
                if inner.required != 0, found.isEmpty { continue }
                walk(inner, in: found.map(\.value), path: path + key.name + ".")
            case .named(_, HeaderRule.namePattern, _):
                walkNames(in: found.map(\.value), path: path + key.name + ".") {
                    $0.lowercased()
                }
            case .named:
                walkNames(in: found.map(\.value), path: path + key.name + ".") { $0 }
            case .either(.named, _):
                walkNames(in: found.map(\.value), path: path + key.name + ".") { $0 }
            default:
                if let first = found.first {
                    add(path + key.name, first.value, setBy: first.key)
                } else if let value = key.defaultText {
                    rows.append(SettingRow(path: path + key.name, value: value, line: nil))
                }
            }
        }
    }

    /// Adds what mappings have under names that the job chose, and what lists name alone.
    ///
    /// Of those whose names are one, as `same` makes them, the first holds.
    private mutating func walkNames(
        in collections: [NodeID],
        path: String,
        same: (String) -> String
    ) {
        var known: Set<String> = []
        for collection in collections {
            for entry in reader.document.entries(of: collection) {
                let name = reader.document.text(of: entry.key)
                guard known.insert(same(name)).inserted else { continue }
                add(path + name, entry.value, setBy: entry.key)
            }
            for element in reader.document.elements(of: collection) {
                let name = display(element)
                guard known.insert(same(name)).inserted else { continue }
                let line = reader.document.range(of: element).start.line
                rows.append(SettingRow(path: path + name, value: "any", line: line))
            }
        }
    }

    private mutating func add(_ path: String, _ node: NodeID, setBy key: NodeID) {
        let line = reader.document.range(of: key).start.line
        rows.append(SettingRow(path: path, value: display(node), line: line))
    }

    /// A value on one line, collections in brackets and braces.
    private func display(_ node: NodeID) -> String {
        switch reader.document.kind(of: node) {
        case .scalar:
            return displayScalar(node)
        case .sequence:
            let elements = reader.document.elements(of: node).map { display($0) }
            return "[\(elements.joined(separator: ", "))]"
        case .mapping:
            let entries = reader.document.entries(of: node).map {
                "\(reader.document.text(of: $0.key)): \(display($0.value))"
            }
            return "{\(entries.joined(separator: ", "))}"
        }
    }

    private func displayScalar(_ node: NodeID) -> String {
        let text = reader.document.text(of: node)
        guard reader.document.hasInterpolation(node) else { return text }
        return Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): return literal
            case .expression(let expression):
                let written = String(text.slice(expression.range))
                guard expression.namespace == .var,
                    case .value(let value)? = reader.variables.states[expression.name],
                    !value.isFromEnvironment, value.secrets.isEmpty
                else { return written }
                return value.text
            }
        }.joined()
    }
}
