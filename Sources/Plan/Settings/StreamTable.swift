internal import JobFile

/// `stream` of an upload while it is read.
struct StreamDraft: Sendable {
    enum Source: Sendable {
        /// A program and its arguments.
        case command([String])
        /// An absolute path.
        case pipe(String)
    }

    var source: Source?
    var contentType: String?
}

/// `stream`: a body whose length nobody knows before its end.
enum StreamTable {
    static let table = SettingTable<StreamDraft>(
        "stream",
        [
            Setting(
                "command",
                command,
                "A program and its arguments, without a shell: what it writes to its standard output is sent."
            ) { $0.source = .command($1) },
            Setting(
                "fifo",
                ValueType(.text(pattern: nil)) { $0.existingPipe($1) },
                "A named pipe, relative to the job file's folder: what comes out of it is sent."
            ) { $0.source = .pipe($1.path) },
            Setting(
                "contentType",
                ValueType(pattern: MediaTypeText.pattern, parse: MediaTypeText.parse),
                "The body's `Content-Type`; without it `application/octet-stream`."
            ) { $0.contentType = $1 },
        ],
        exactlyOneOf: ["command", "fifo"]
    )

    /// Bytes of all arguments: the kernel takes no more than about two million.
    private static let mostArguments = 1 << 20

    private static let command = ValueType<[String]>(
        .nonEmptyList(.text(pattern: nil))
    ) { reader, field in
        let help = "no shell reads it: write `[program, argument]`"
        guard reader.isList(field, help: help) else { return nil }
        let errors = reader.errorCount
        var arguments: [String] = []
        var length = 0
        for node in reader.document.elements(of: field.node) {
            let element = Field(name: field.name, key: field.key, node: node)
            reader.warnOfPlaceholders(in: element)
            guard let text = reader.textOrStandIn(element) else { continue }
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
        guard reader.errorCount == errors else { return nil }
        guard arguments.first?.isEmpty == false else {
            reader.report(.badValue, "`\(field.name)`: the program has no name", at: field.node)
            return nil
        }
        return arguments
    }
}
