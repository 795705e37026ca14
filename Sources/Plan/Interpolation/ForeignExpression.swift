internal import SystemKit

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
    /// - Returns: The fault, with a hint where there is one.
    static func explain(_ fault: ValueFault, of expression: Substring, hasItem: Bool) -> ValueFault
    {
        guard fault.code == .badExpression, expression.hasBytePrefix("${"),
            expression.hasByteSuffix("}")
        else { return fault }
        let content = expression.dropFirst(2).dropLast()
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
        default: likely = nil
        }
        guard let likely else { return fault }
        return ValueFault(fault.code, fault.message, likely: likely, help: fault.help)
    }
}
