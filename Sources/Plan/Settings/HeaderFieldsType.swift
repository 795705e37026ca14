internal import JobFile
internal import TransferModel

/// Mappings of header names to values.
enum HeaderFieldsType {
    static let task = type(of: .request) { name throws(ValueFault) in
        try HeaderRule.checkName(name, inSession: false)
    }
    static let session = type(of: .request) { name throws(ValueFault) in
        try HeaderRule.checkName(name, inSession: true)
    }
    static let part = type(of: .part, HeaderRule.checkPartName)
    /// The fields that a response must have; all names are allowed.
    static let expected = type(of: .expectation, HeaderRule.checkToken)

    /// The use of the fields, which decides whether they may have secrets.
    fileprivate enum Use {
        case request
        /// They are inside of a body, which no redirect takes to another origin.
        case part
        case expectation
    }

    private static func type(
        of use: Use,
        _ checkName: @escaping @Sendable (String) throws(ValueFault) -> Void
    ) -> ValueType<[HeaderField]> {
        let shape = Shape.named(
            .text(pattern: nil),
            pattern: HeaderRule.namePattern,
            hasFreeKeys: false
        )
        return ValueType(shape) { headerFields($1, for: use, checkName, &$0) }.faultless
    }

    /// The most fields of one mapping: the comparisons grow with them, and servers take about as
    /// many.
    static let mostFields = 100

    /// `fields`, then the fields of `base` with other names.
    static func merge(_ fields: [HeaderField], over base: [HeaderField]) -> [HeaderField] {
        guard !base.isEmpty else { return fields }
        guard !fields.isEmpty else { return base }
        return fields + base.filter { inherited in !fields.contains(inherited.name) }
    }
}

extension HeaderFieldsType {
    /// The fields of a mapping in its order, without those that have a fault.
    private static func headerFields(
        _ field: Field,
        for use: HeaderFieldsType.Use,
        _ checkName: (String) throws(ValueFault) -> Void,
        _ reader: inout Reader
    ) -> [HeaderField]? {
        guard reader.isMapping(field) else { return nil }
        guard reader.document.count(of: field.node) <= HeaderFieldsType.mostFields else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: there are more than \(HeaderFieldsType.mostFields) fields",
                at: field.key
            )
            return nil
        }
        var fields: [HeaderField] = []
        for entry in reader.document.entries(of: field.node) {
            let name = reader.document.text(of: entry.key)
            do {
                try checkName(name)
            } catch {
                reader.report(error, of: field, at: reader.document.range(of: entry.key))
                continue
            }
            if fields.contains(name) {
                reader.report(
                    .badHeader,
                    "`\(field.name)`: duplicate field `\(name)`; case does not matter",
                    at: entry.key
                )
                continue
            }
            let inner = Field(name: name, key: entry.key, node: entry.value)
            Slips.warnOfPlaceholders(in: inner, &reader)
            // The value may be a stand-in: the name alone decides which origins get the field.
            let header: HeaderField? =
                switch use {
                case .request: reader.headerField(inner)
                case .part:
                    reader.sentText(inner, as: .header(name)).map {
                        HeaderField(name: name, value: $0)
                    }
                case .expectation: reader.text(inner).map { HeaderField(name: name, value: $0) }
                }
            guard let header else { continue }
            do {
                try HeaderRule.checkValue(header.value)
                if use == .request, header.isNamed(IdempotencyKeyField.name) {
                    try IdempotencyKeyText.checkField(header.value)
                }
                if use == .request, header.isNamed(HostField.name) {
                    try HostFieldText.check(header.value)
                }
                fields.append(header)
            } catch {
                reader.report(error, of: inner)
            }
        }
        return fields
    }
}
