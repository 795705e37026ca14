internal import Diagnostics
internal import SystemKit

/// One `${…}` of a scalar.
struct Expression: Hashable {
    /// Where the value comes from.
    enum Namespace: String, CaseIterable {
        case env
        case `var`
        case secret
        /// The row of a task with `forEach`; the name is empty for the row itself.
        case item
        case run
        /// A value captured by another task.
        case task
        /// A digest of the task's body.
        case body
    }

    /// The rule for a value that is not set or empty, as in a shell.
    enum Rule: Hashable {
        /// A value that is not set is an error; an empty value is valid.
        case required
        /// `:-`: this text instead.
        case fallback(String)
        /// `:?`: an error with this reason.
        case reason(String)
    }

    var namespace: Namespace
    var name: String
    var rule: Rule
    /// `raw:`: the value is filled into a URL as it is, and may extend beyond its part of the URL.
    var isRaw = false
    /// From `$` to `}`, offsets in UTF-8 in the scalar's text.
    var range: Range<Int>
}

extension Expression {
    /// The expression without its rule.
    var written: String {
        name.isEmpty ? "${\(namespace.rawValue)}" : "${\(namespace.rawValue).\(name)}"
    }

    /// The text that replaces a missing value; nil without one.
    var fallback: String? {
        guard case .fallback(let text) = rule, !text.isEmpty else { return nil }
        return text
    }
}

extension Expression {
    /// The prefix of an expression whose value is filled in without encoding.
    private static let rawMark = "raw:"

    /// Reads the text between `${` and `}`.
    init(_ content: Substring, at range: Range<Int>) throws(ValueFault) {
        let bytes = content.utf8
        if bytes.starts(with: Self.rawMark.utf8) {
            let rest = Substring(bytes.dropFirst(Self.rawMark.utf8.count))
            guard !rest.utf8.starts(with: Self.rawMark.utf8) else {
                throw ValueFault(.badExpression, "`\(Self.rawMark)` appears twice")
            }
            do {
                try self.init(rest, at: range)
            } catch {
                throw error.withRawMark
            }
            isRaw = true
            return
        }
        if bytes.first?.isBlank == true { throw Self.withBlanks(content, at: range) }
        let end = bytes.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
        if Namespace.item.rawValue == content[..<(end ?? content.endIndex)] {
            self = try Self.item(content, at: range)
            return
        }
        guard let end, bytes[end] == UInt8(ascii: ".") else {
            if let namespace = Namespace(rawValue: String(content[..<(end ?? content.endIndex)])) {
                throw Self.withoutName(content, namespace)
            }
            throw Self.withoutNamespace(content, content[..<(end ?? content.endIndex)])
        }
        let prefix = String(content[..<end])
        guard let namespace = Namespace(rawValue: prefix) else {
            throw Self.unknownNamespace(content, prefix)
        }
        let rest = bytes[bytes.index(after: end)...]
        let name = rest.prefix { Self.isNameByte($0, in: namespace) }
        guard Self.isName(name, in: namespace) else { throw Self.withoutName(content, namespace) }
        try self.init(namespace, String(Substring(name)), tail: rest[name.endIndex...], at: range)
    }

    /// Reads the text after a name: nothing, or a rule.
    private init(
        _ namespace: Namespace,
        _ name: String,
        tail: Substring.UTF8View,
        at range: Range<Int>
    ) throws(ValueFault) {
        self.namespace = namespace
        self.name = name
        self.range = range
        if tail.isEmpty {
            rule = .required
        } else if tail.starts(with: ":-".utf8) {
            rule = .fallback(String(Substring(tail.dropFirst(2))))
        } else if tail.starts(with: ":?".utf8) {
            rule = .reason(String(Substring(tail.dropFirst(2))))
        } else {
            rule = .required
            throw ValueFault(
                .badExpression,
                "`\(Substring(tail))` is not allowed after the name `\(name)`",
                help: "write `\(written)`, or add `:-` and a fallback after the name"
            )
        }
        if namespace == .secret || namespace == .body, rule != .required {
            let what = namespace == .secret ? "a secret" : "the digest of a body"
            throw ValueFault(.badExpression, "\(what) has no fallback and needs no reason")
        }
        if case .fallback(let text) = rule, Self.holdsExpression(text) {
            throw ValueFault(.badExpression, "a fallback may not contain another expression")
        }
    }

    /// Looked for as bytes: the search of the standard library takes a hundred times as long, for
    /// each row.
    private static func holdsExpression(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            if last == UInt8(ascii: "$"), byte == UInt8(ascii: "{") { return true }
            last = byte
        }
        return false
    }

    /// `item`, or `item.` and a name: a column's name may have blanks and any other character but a
    /// colon.
    private static func item(
        _ content: Substring,
        at range: Range<Int>
    ) throws(ValueFault) -> Expression {
        let rest = content.utf8.dropFirst(Namespace.item.rawValue.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: ":") } ?? rest.endIndex
        let name = String(Substring(rest[..<end].dropFirst()))
        guard name.isEmpty == rest[..<end].isEmpty else {
            throw ValueFault(.badExpression, "`${\(content)}` names no field", likely: "${item}")
        }
        return try Expression(.item, name, tail: rest[end...], at: range)
    }

    /// Letters, digits, `_`; a name that the job file chooses may also have `-`.
    static func isNameByte(_ byte: UInt8, in namespace: Namespace) -> Bool {
        switch byte {
        case UInt8(ascii: "_"): true
        case UInt8(ascii: "-"): namespace != .env
        case UInt8(ascii: "."): namespace == .task
        default: byte.isAlphanumeric
        }
    }

    /// Whether a name is valid, beyond its bytes.
    private static func isName(_ name: Substring.UTF8View, in namespace: Namespace) -> Bool {
        guard namespace == .task else { return name.first.map { !$0.isDigit } ?? false }
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return false
        }
        return isVariableName(String(Substring(name[name.index(after: dot)...])))
    }

    private static func withoutName(_ content: Substring, _ namespace: Namespace) -> ValueFault {
        let written = "${\(String(content).excerpt)}"
        let (message, form) =
            switch namespace {
            case .env: ("names no environment variable", "`${env.NAME}`")
            case .var: ("names no variable", "`${var.name}`")
            case .secret: ("names no secret", "`${secret.name}`")
            case .item: ("names no value", "`${item.name}`")
            case .run: ("names no value", "`${run.id}`")
            case .body: ("names no digest", "`${body.sha256}`")
            case .task:
                (
                    "does not name a task and one of its captures",
                    "`${task.ID.name}`, with a name from `capture` of that task"
                )
            }
        return ValueFault(.badExpression, "`\(written)` \(message)", help: "write \(form)")
    }

    /// An expression in the manner of template languages; the expression without the blanks may be
    /// wrong, too.
    private static func withBlanks(_ content: Substring, at range: Range<Int>) -> ValueFault {
        let plain = Substring(content.utf8.withoutOuterBlanks)
        let likely: String?
        var help = forms
        do {
            _ = try Expression(plain, at: range)
            likely = "${\(plain)}"
        } catch {
            likely = error.likely
            help = error.help ?? help
        }
        return ValueFault(
            .badExpression,
            "a blank follows the brace of `${\(String(content).excerpt)}`",
            likely: likely,
            help: help
        )
    }

    /// The valid expressions, as advice for any other text.
    static let forms =
        "write `${env.NAME}`, `${var.name}`, `${secret.name}` or `${task.ID.name}`; `$${` is a "
        + "literal `${`"

    /// The id and the name in `${task.ID.name}`; the name follows the last dot, because ids may
    /// have dots.
    var capture: (task: String, name: String) {
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.startIndex
        return (String(name[..<dot]), String(name[dot...].dropFirst()))
    }

    /// Whether a text is a valid name after `${var.`.
    static func isVariableName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy { isNameByte($0, in: .var) }
    }

    private static func withoutNamespace(_ content: Substring, _ name: Substring) -> ValueFault {
        let isUpperCase = name.utf8.contains(where: \.isUppercase) && name == name.uppercased()
        let looksLikeName = isVariableName(String(name))
        return ValueFault(
            .badExpression,
            "`${\(String(content).excerpt)}` does not say where the value comes from",
            likely: looksLikeName ? "${\(isUpperCase ? "env" : "var").\(content)}" : nil,
            help: forms
        )
    }

    private static func unknownNamespace(_ content: Substring, _ name: String) -> ValueFault {
        let names = Namespace.allCases.map(\.rawValue)
        let known = NearestName.find(name, among: names + ["environment", "variables"])
        let nearest = known.flatMap { found in names.first { found.hasBytePrefix($0) } }
        return ValueFault(
            .badExpression,
            "`\(name.excerpt)` in `${\(String(content).excerpt)}` is not known",
            likely: nearest.map { "${\($0)\(content.dropFirst(name.count))}" },
            help: forms
        )
    }
}

extension ValueFault {
    /// The same fault of an expression with `raw:`, which the likely spelling keeps.
    fileprivate var withRawMark: ValueFault {
        let spelling = likely.map { "${raw:\(Substring($0.utf8.dropFirst(2)))" }
        return ValueFault(code, message, likely: spelling, help: help)
    }
}

/// Expressions of other tools, and their counterparts here.
enum ForeignExpression {
    /// Names that other tools give to the item of a loop.
    private static let items: Set<String> = [
        "row", "each", "loop", "matrix", "record", "line", "entry", "element", "this", "data",
    ]

    /// Guesses the meaning of an expression with an unknown namespace.
    ///
    /// - Parameters:
    ///   - fault: The fault of the expression as written.
    ///   - expression: From `${` to `}`.
    ///   - hasItem: Whether the task has a `forEach`.
    ///   - isTask: Whether a name is the id of a task.
    /// - Returns: The fault, with a hint where there is one.
    static func explain(
        _ fault: ValueFault,
        of expression: Substring,
        hasItem: Bool,
        isTask: (String) -> Bool
    ) -> ValueFault {
        guard fault.code == .badExpression, expression.hasBytePrefix("${"),
            expression.hasByteSuffix("}")
        else { return fault }
        var content = expression.dropFirst(2).dropLast()
        if content.hasBytePrefix("{"), content.hasByteSuffix("}") {
            content = Substring(content.utf8.dropFirst().dropLast().withoutOuterBlanks)
        }
        let name = String(content.prefix { $0 != "." && $0 != ":" })
        let rest = content.dropFirst(name.count)
        let likely: String?
        switch name {
        case _ where hasItem && items.contains(name):
            // The whole item is `each.value` in other languages.
            likely = rest.hasBytePrefix(".value") || rest == ".key" ? "${item}" : "${item\(rest)}"
        case "inputs", "params", "parameters": likely = rest.isEmpty ? nil : "${var\(rest)}"
        case "steps", "tasks", "needs":
            let parts = rest.dropFirst().splitAtBytes(".")
            let isOutput = parts.count == 3 && parts[1] == "outputs"
            likely = isOutput ? "${task.\(parts[0]).\(parts[2])}" : nil
        case _
        where rest.hasBytePrefix(".") && Expression.Namespace(rawValue: name) == nil && isTask(name):
            likely = "${task.\(content)}"
        default: likely = nil
        }
        guard let likely else { return fault }
        return ValueFault(fault.code, fault.message, likely: likely, help: fault.help)
    }
}
