internal import JobFile

/// A program and its arguments, which no shell reads.
enum CommandType {
    /// The limit of all arguments, bytes: the kernel takes no more than about two million.
    private static let mostArguments = 1 << 20

    static let type = ValueType<[String]>(.nonEmptyList(.text(pattern: nil, example: "program"))) {
        reader,
        field in
        let help = "runner uses no shell: write `[program, argument]`"
        guard reader.isList(field, help: help) else { return nil }
        guard let arguments = reader.ifFaultless({ arguments(field, &$0) }) else { return nil }
        guard arguments.first?.isEmpty == false else {
            reader.report(.badValue, "`\(field.name)`: the program has no name", at: field.node)
            return nil
        }
        return arguments
    }

    /// Arguments that a shell would take for operators, and few programs take at all.
    private static let operators: Set<String> = ["|", "||", "&&", ">", ">>", "2>&1"]

    private static func warn(of text: String, _ field: Field, _ reader: inout Reader) {
        reader.faults.log.warn(
            .suspiciousPlaceholder,
            "`\(field.name)`: `\(text)` is plain text here, because runner uses no shell",
            at: reader.document.range(of: field.node),
            help: "write `[sh, -c, \"…\"]` for a line of a shell"
        )
    }

    private static func arguments(_ field: Field, _ reader: inout Reader) -> [String]? {
        var arguments: [String] = []
        var length = 0
        for node in reader.document.elements(of: field.node) {
            let element = Field(name: field.name, key: field.key, node: node)
            // A script has variables of its own.
            if arguments.last != "-c" { Slips.warnOfPlaceholders(in: element, &reader) }
            guard let text = reader.textOrStandIn(element) else { continue }
            // `-d |` names a character.
            let option = arguments.last?.utf8
            if operators.contains(text), option?.count != 2 || option?.first != UInt8(ascii: "-") {
                warn(of: text, element, &reader)
            }
            if text.utf8.contains(0) {
                reader.report(
                    .badValue,
                    "`\(field.name)`: an argument may not have a NUL character",
                    at: node
                )
            }
            arguments.append(text)
            length += text.utf8.count
            guard length <= mostArguments else {
                reader.report(
                    .outOfRange,
                    "`\(field.name)`: the arguments are longer than 1 MiB",
                    at: field.key
                )
                return nil
            }
        }
        return arguments
    }
}
