internal import JobFile

/// How one type of value is read from the document, and its form in the schema.
///
/// `read` reports a fault and then returns nil.
struct ValueType<Value>: Sendable {
    private let makeShape: @Sendable () -> Shape
    let read: @Sendable (inout Reader, Field) -> Value?

    /// The shape is made on first use; reading a job does not need it.
    init(
        _ shape: @autoclosure @escaping @Sendable () -> Shape,
        read: @escaping @Sendable (inout Reader, Field) -> Value?
    ) {
        makeShape = shape
        self.read = read
    }

    var shape: Shape { makeShape() }

    /// The value that a table makes of `empty` and a mapping; nil after a fault.
    init(
        _ table: @autoclosure @escaping @Sendable () -> SettingTable<Value>,
        from empty: @autoclosure @escaping @Sendable () -> Value
    ) {
        self.init(.mapping(table().keys)) { reader, field in
            reader.value(empty(), with: table(), in: field)
        }
    }

    /// A scalar whose text `parse` understands.
    init(
        pattern: @autoclosure @escaping @Sendable () -> String? = nil,
        example: String? = nil,
        parse: @escaping @Sendable (String) throws(ValueFault) -> Value
    ) {
        self.init(.text(pattern: pattern(), example: example)) { reader, field in
            guard let text = reader.text(field) else { return nil }
            return reader.parsed(text, of: field, parse)
        }
    }

    /// The values of a sequence.
    static func list<Element>(of type: ValueType<Element>) -> ValueType where Value == [Element] {
        ValueType(.list(type.shape)) { reader, field in reader.elements(field, of: type) }
    }

    /// The values of a sequence, of which there is one at least.
    static func nonEmptyList<Element>(
        of type: ValueType<Element>
    ) -> ValueType where Value == [Element] {
        ValueType(.nonEmptyList(type.shape)) { reader, field in
            guard let values = reader.elements(field, of: type) else { return nil }
            guard !values.isEmpty else {
                reader.report(.outOfRange, "`\(field.name)`: the list is empty", at: field.node)
                return nil
            }
            return values
        }
    }

    /// The same, or one value alone.
    static func oneOrMore<Element>(
        of type: ValueType<Element>
    ) -> ValueType where Value == [Element] {
        let list = nonEmptyList(of: type)
        return ValueType(.oneOrMore(type.shape)) { reader, field in
            reader.document.kind(of: field.node) == .scalar
                ? type.read(&reader, field).map { [$0] } : list.read(&reader, field)
        }
    }

    /// The same type, with the field of the value.
    var withField: ValueType<(value: Value, field: Field)> {
        let read = read
        return ValueType<(value: Value, field: Field)>(shape) { reader, field in
            read(&reader, field).map { ($0, field) }
        }
    }
}

extension ValueType {
    /// The same values, none of which a task may capture: the order of the run depends on them.
    func neededBeforeTheRun() -> ValueType {
        ValueType(shape) { [read] reader, field in
            reader.with(\.isNeededBeforeTheRun, true) { read(&$0, field) }
        }
    }

    /// The same values; nil also when `read` has reported an error beside a value.
    var faultless: ValueType {
        ValueType(shape) { [read] reader, field in reader.ifFaultless { read(&$0, field) } }
    }

    /// The same values, with a warning of placeholders of other tools.
    func warningOfPlaceholders(isBody: Bool = false) -> ValueType {
        ValueType(shape) { [read] reader, field in
            Slips.warnOfPlaceholders(in: field, isBody: isBody, &reader)
            return read(&reader, field)
        }
    }
}

extension ValueType where Value == Field {
    /// A value that is looked into later.
    static func field(
        _ shape: @autoclosure @escaping @Sendable () -> Shape
    ) -> ValueType {
        ValueType(shape()) { _, field in field }
    }
}

extension ValueType where Value == String {
    /// Any scalar but null, as text.
    static let text = ValueType(.text(pattern: nil)) { reader, field in reader.text(field) }

    /// A text that is sent in a body: it may hold secrets.
    static let bodyText = ValueType(.text(pattern: nil)) { reader, field in
        BodyText.bodyText(field, &reader)
    }.warningOfPlaceholders(isBody: true)
}

extension ValueType where Value == Bool {
    static let boolean = ValueType(.boolean) { reader, field in
        guard let scalar = reader.scalar(field) else { return nil }
        if case .bool(let value) = scalar.type { return value }
        if case .bool(let value) = Scalar(plain: scalar.text), scalar.isFilledIn { return value }
        let likely = Hints.likelyBoolean(scalar.text)
        reader.reportType(field, "true or false", found: scalar, likely: likely)
        return nil
    }
}

extension ValueType where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(.integer(range)) { reader, field in
            guard let scalar = reader.scalar(field) else { return nil }
            let type = scalar.isFilledIn ? Scalar(plain: scalar.text) : scalar.type
            guard case .integer(let value) = type else {
                let likely = Hints.likelyNumber(scalar.text)
                let isInteger = likely.map { Int($0) != nil } ?? false
                reader.reportType(
                    field,
                    "an integer",
                    found: scalar,
                    likely: isInteger ? likely : nil
                )
                return nil
            }
            guard let value = value.flatMap(Int.init(exactly:)), range.contains(value) else {
                reader.report(
                    .outOfRange,
                    "`\(field.name)`: `\(scalar.text)` is not from \(range.lowerBound) to \(range.upperBound)",
                    at: field.node
                )
                return nil
            }
            return value
        }
    }
}

extension ValueType where Value == Double {
    /// A number, or a name with the meaning of a number.
    static func number(
        _ range: ClosedRange<Double>,
        orNamed names: [(name: String, value: Double)] = []
    ) -> ValueType {
        ValueType(
            names.isEmpty ? .number(range) : .either(.number(range), .choice(names.map(\.name)))
        ) { reader, field in
            guard let scalar = reader.scalar(field) else { return nil }
            if let named = names.first(where: { $0.name == scalar.text }) { return named.value }
            return reader.number(scalar, of: field, in: range, orNamed: names.map(\.name))
        }
    }
}

extension ValueType
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of the cases by its raw value.
    static func choice() -> ValueType {
        let names = Value.allCases.map(\.rawValue)
        let cases = Array(Value.allCases)
        return ValueType(.choice(names)) { reader, field in
            guard let text = reader.text(field) else { return nil }
            if let position = names.firstIndex(of: text) { return cases[position] }
            reader.reportChoice(field, text, names: names)
            return nil
        }
    }
}

extension ValueType where Value == Duration {
    static func duration(allowsZero: Bool = false) -> ValueType {
        ValueType(
            .text(
                pattern: allowsZero ? DurationText.pattern : DurationText.positivePattern,
                example: "30s"
            )
        ) { reader, field in
            guard let text = reader.text(field) else { return nil }
            return reader.duration(text, of: field, allowsZero: allowsZero)
        }
    }
}

extension ValueType where Value == Duration? {
    /// A positive duration, or `unlimited`, which is nil.
    static let durationOrUnlimited = ValueType(
        .either(
            .text(pattern: DurationText.positivePattern, example: "30s"),
            .choice(["unlimited"])
        )
    ) { reader, field in
        guard let text = reader.text(field) else { return nil }
        if text == "unlimited" { return .some(nil) }
        return reader.duration(text, of: field, allowsZero: false).map { .some($0) }
    }
}
