internal import Diagnostics
internal import JobFile

extension Reader {
    /// A piece of a scalar, and the expression that it came out of.
    struct FilledPiece {
        var value: ScalarValue
        /// Nil for text of the job file.
        var expression: Expression?

        var isFilledIn: Bool { expression != nil }
    }

    /// Bytes of a value whose expressions are filled in: a few variables that double each other
    /// would fill the memory.
    private static let longestValue = 1 << 20
    /// Bytes of all such values of one task, and of what the job says outside of its tasks.
    private static let mostFilledIn = 16 << 20
    /// Bytes that make a value a long one, and of all long ones of the job together.
    private static let shortLength = 4 << 10
    private static let mostLongFilledIn = 64 << 20
    /// The longest chain of variables that refer to each other.
    private static let deepestVariable = 64

    /// Fills in a scalar's expressions; one that is a single expression keeps the value's type.
    mutating func filledScalar(_ field: Field) -> ScalarValue? {
        guard let pieces = filledPieces(field) else { return nil }
        if pieces.count == 1, pieces[0].isFilledIn { return pieces[0].value }
        var joined = ScalarValue(text: "", type: .string, isFilledIn: false)
        for piece in pieces { joined.append(piece.value) }
        return joined
    }

    /// A scalar's pieces with the values of its expressions; nil after a fault, when all were
    /// looked at.
    ///
    /// `ofURL`: they become a URL, the only place for `raw:`.
    mutating func filledPieces(_ field: Field, ofURL isURL: Bool = false) -> [FilledPiece]? {
        let text = document.text(of: field.node)
        guard text.utf8.count <= Self.longestValue else {
            report(
                .outOfRange,
                "`\(field.name.excerpt)`: a value with expressions may not be longer than 1 MiB",
                at: field.node
            )
            return nil
        }
        let template = Template(text)
        for fault in template.faults where !log.isFull {
            let explained = ForeignExpression.explain(
                fault.fault,
                of: text.slice(fault.range),
                hasItem: row != nil || deferred != nil
            )
            report(explained, of: field, at: range(of: fault.range, in: text, field.node))
        }
        var isWhole = template.faults.isEmpty
        var pieces: [FilledPiece] = []
        pieces.reserveCapacity(template.pieces.count)
        var length = 0
        var isFilledIn = false
        var hasNull = false
        for piece in template.pieces {
            guard !log.isFull else { return nil }
            switch piece {
            case .literal(let text):
                let value = ScalarValue(text: text, type: .string, isFilledIn: false)
                pieces.append(FilledPiece(value: value))
                length += text.utf8.count
            case .expression(let expression):
                if expression.isRaw, !isURL {
                    reportMisplacedMark(expression, text, field)
                    isWhole = false
                    continue
                }
                guard var value = value(of: expression, text, field) else {
                    isWhole = false
                    continue
                }
                value.isFilledIn = true
                if value.isOfRun { noteRunValue(field) }
                isFilledIn = true
                if expression.namespace == .item, expression.rule == .required {
                    hasNull = hasNull || value.type == .null
                }
                pieces.append(FilledPiece(value: value, expression: expression))
                length += value.text.utf8.count
            }
            guard length <= Self.longestValue || !isFilledIn else {
                report(
                    .outOfRange,
                    "`\(field.name.excerpt)`: the value is longer than 1 MiB "
                        + "when its expressions are filled in",
                    at: field.node
                )
                return nil
            }
        }
        if hasNull, pieces.count > 1 {
            report(
                .wrongType,
                "`\(field.name.excerpt)`: a part of the value is null",
                at: field.node
            )
            return nil
        }
        return isWhole && countFilledIn(length, field) ? pieces : nil
    }

    /// Reports `raw:` where nothing is encoded.
    private mutating func reportMisplacedMark(
        _ expression: Expression,
        _ text: String,
        _ field: Field
    ) {
        let written = text.slice(expression.range)
        let fault = ValueFault(
            .badExpression,
            "`raw:` is for URLs: elsewhere a value is always filled in as it is",
            likely: "${\(Substring(written.utf8.dropFirst("${raw:".utf8.count)))"
        )
        report(fault, of: field, at: range(of: expression.range, in: text, field.node))
    }

    /// Whether so many long values are filled in that the job is refused, and no further row is
    /// worth a look.
    var isOverfilled: Bool { longFilledInLength > Self.mostLongFilledIn }

    /// Counts long values that were filled in elsewhere; false, and not counted, when that would be
    /// too much.
    mutating func counts(longFilledIn length: Int) -> Bool {
        guard longFilledInLength + length <= Self.mostLongFilledIn else { return false }
        longFilledInLength += length
        return true
    }

    /// Adds to what is filled into the settings of one owner; false when that becomes too much,
    /// which is told once.
    private mutating func countFilledIn(_ length: Int, _ field: Field) -> Bool {
        guard filledInLength <= Self.mostFilledIn, !isOverfilled else { return false }
        filledInLength += length
        if length > Self.shortLength { longFilledInLength += length }
        if filledInLength > Self.mostFilledIn {
            report(
                .outOfRange,
                "`\(field.name.excerpt)`: with this value more than 16 MiB are filled in"
                    + (context.isEmpty ? "" : "\(context)"),
                at: field.node
            )
            return false
        }
        if isOverfilled {
            report(
                .outOfRange,
                "`\(field.name.excerpt)`: with this value more than 64 MiB are filled in, short values apart",
                at: field.node,
                help: "send what is long from a `file`"
            )
            return false
        }
        return true
    }

    private mutating func value(
        of expression: Expression,
        _ text: String,
        _ field: Field
    ) -> ScalarValue? {
        let found: ScalarValue?
        switch expression.namespace {
        case .env:
            guard !isSecret(expression, text, field) else { return nil }
            guard !isForeign(expression, text, field) else { return nil }
            found = environment[expression.name].map {
                ScalarValue(text: $0, type: .string, isFilledIn: true, isFromEnvironment: true)
            }
        case .var:
            guard !isSecret(expression, text, field) else { return nil }
            switch variable(expression.name) {
            case .value(let value): found = value
            case .faulty: return nil
            default: found = nil
            }
        case .secret:
            return secret(expression, text, field)
        case .item:
            switch item(expression, text, field) {
            case .value(let value): found = value
            case .absent: found = nil
            case .faulty: return nil
            }
        case .run:
            found = run[expression.name].map {
                ScalarValue(text: $0, type: .string, isFilledIn: true, isOfRun: true)
            }
        case .task:
            guard let value = capturedValue(of: expression, text, field) else { return nil }
            found = value
        }
        switch expression.rule {
        case .required:
            if let found { return found }
        case .fallback(let fallback):
            if let found, !found.text.isEmpty { return found }
            // Of the type that the value would have had: what comes from the environment is text.
            let type = expression.namespace == .env ? .string : Scalar(plain: fallback)
            return ScalarValue(text: fallback, type: type, isFilledIn: true)
        case .reason:
            if let found, !found.text.isEmpty { return found }
        }
        reportMissing(expression, at: range(of: expression.range, in: text, field.node))
        return nil
    }

    /// Resolves every variable of the file, so that the faults of unused ones are found too.
    mutating func resolveVariables() {
        for name in variables.names { _ = variable(name) }
    }

    /// Where a variable stands, resolved if it was not yet; nil when there is none of that name.
    private mutating func variable(_ name: String) -> VariableTable.State? {
        if !variables.unused.isEmpty { variables.unused.remove(name) }
        guard let state = variables.states[name] else { return nil }
        switch state {
        case .value, .absent, .faulty:
            return state
        case .resolving(let field):
            report(
                .variableCycle,
                "the variable `\(name)` refers to itself",
                at: field.node
            )
            variables.states[name] = .faulty
        case .pending(let field):
            guard variables.depth < Self.deepestVariable else {
                report(
                    .outOfRange,
                    "`\(name.excerpt)`: \(Self.deepestVariable) variables in a row need one "
                        + "that is declared later",
                    at: field.node,
                    help: "declare variables before those that use them"
                )
                variables.states[name] = .faulty
                break
            }
            variables.states[name] = .resolving(field)
            variables.depth += 1
            let scalar = scalarOrStandIn(field)
            variables.depth -= 1
            let isInCycle = if case .faulty? = variables.states[name] { true } else { false }
            variables.states[name] =
                switch scalar {
                case let scalar? where !isInCycle:
                    scalar.type == .null ? .absent(field) : .value(scalar)
                default: .faulty
                }
        }
        return variables.states[name]
    }
}
