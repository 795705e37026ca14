internal import Diagnostics
internal import JobFile
internal import SystemKit

extension Reader {
    /// The scalar of a field; reports a collection, faulty expressions, and secrets.
    ///
    /// Nil also, without a report, for a scalar that is known only when the task starts: its key
    /// counts as present.
    mutating func scalar(_ field: Field) -> ScalarValue? { values.scalar(field, &faults) }

    /// The text of any scalar but null.
    mutating func text(_ field: Field) -> String? {
        guard let scalar = scalar(field) else { return nil }
        return text(of: scalar, field)
    }

    /// The text of any scalar but null, or a stand-in for one that is known only when the task
    /// starts.
    mutating func textOrStandIn(_ field: Field) -> String? {
        guard let scalar = values.scalarWithoutSecrets(field, &faults) else { return nil }
        return text(of: scalar, field)
    }

    /// The text of a field's scalar; reports null.
    mutating func text(of scalar: ScalarValue, _ field: Field) -> String? {
        if case .null = scalar.type {
            report(.wrongType, "`\(field.name)`: a value is missing", at: field.node)
            return nil
        }
        if case .binary = scalar.type {
            report(
                .wrongType,
                "`\(field.name)`: a `!!binary` value is only allowed in `json`",
                at: field.node
            )
            return nil
        }
        return scalar.text
    }

    /// Whether the value is a mapping; reports another one.
    mutating func isMapping(_ field: Field, help: String? = nil) -> Bool {
        isKind(.mapping, "a mapping", field, help: help)
    }

    /// Whether the value of one of the keys is a mapping; reports another one.
    mutating func isMapping(_ field: Field, in keys: KeyTable, help: String? = nil) -> Bool {
        showingShape(of: field, in: keys) { $0.isMapping(field, help: help) }
    }

    /// Whether the value is a sequence; reports another one.
    mutating func isList(_ field: Field, help: String? = nil) -> Bool {
        isKind(.sequence, "a list", field, help: help)
    }

    /// Whether the value is of a kind, `words` to users; reports another one.
    mutating func isKind(
        _ kind: NodeKind,
        _ words: String,
        _ field: Field,
        help: String? = nil
    ) -> Bool {
        guard document.kind(of: field.node) != kind else { return true }
        let found = faults.name(of: field.node)
        if kind == .sequence, help == nil,
            let likely = Hints.shortText(of: field.node, in: document)
        {
            let message = "expected \(words), found \(found)"
            report(ValueFault(.wrongType, message, likely: "[\(likely)]"), of: field)
            return false
        }
        report(
            .wrongType,
            "`\(field.name)`: expected \(words), found \(found)",
            at: field.node,
            help: help
        )
        return false
    }

    /// The values of a sequence; nil when one of them has a fault, after all were looked at.
    mutating func elements<Element>(_ field: Field, of type: ValueType<Element>) -> [Element]? {
        guard isList(field) else { return nil }
        var values: [Element] = []
        var isWhole = true
        for node in document.elements(of: field.node) {
            if let value = type.read(&self, Field(name: field.name, key: field.key, node: node)) {
                values.append(value)
            } else {
                isWhole = false
            }
        }
        return isWhole ? values : nil
    }

    /// The value that a parser makes of a text; reports its fault.
    mutating func parsed<Value>(
        _ text: String,
        of field: Field,
        _ parse: (String) throws(ValueFault) -> Value
    ) -> Value? {
        do {
            return try parse(text)
        } catch {
            report(error, of: field)
            return nil
        }
    }

    mutating func duration(_ text: String, of field: Field, allowsZero: Bool) -> Duration? {
        guard let duration = parsed(text, of: field, DurationText.parse) else { return nil }
        guard allowsZero || duration > .zero else {
            report(.outOfRange, "`\(field.name)`: must be longer than `\(text)`", at: field.node)
            return nil
        }
        return duration
    }

    /// The number that a scalar is, if it is in the range; `names` are the words allowed there
    /// instead.
    mutating func number(
        _ scalar: ScalarValue,
        of field: Field,
        in range: ClosedRange<Double>,
        orNamed names: [String] = []
    ) -> Double? {
        let number: Double
        switch scalar.isFilledIn ? Scalar(plain: scalar.text) : scalar.type {
        case .integer(let value): number = value.map { Double($0) } ?? .infinity
        case .float(let value): number = value
        default:
            let words = names.map { "`\($0)`" }.joined(separator: ", ")
            let others = names.isEmpty ? "" : " or one of \(words)"
            let likely =
                Hints.likelyNumber(scalar.text) ?? NearestName.find(scalar.text, among: names)
            reportType(field, "a number" + others, found: scalar, likely: likely)
            return nil
        }
        guard range.contains(number) else {
            let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
            report(
                .outOfRange,
                "`\(field.name)`: `\(scalar.text)` is not from \(bounds)",
                at: field.node
            )
            return nil
        }
        return number
    }

    /// A bound as people write it, without `.0`.
    private static func text(_ bound: Double) -> String {
        let text = bound.description
        return text.withoutByteSuffix(".0").map(String.init) ?? text
    }
}
