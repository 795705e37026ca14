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

/// `stream`: a body whose length is unknown before its end.
enum StreamTable {
    static let table = SettingTable<StreamDraft>(
        "stream",
        [
            Setting(
                "command",
                CommandType.type,
                "A program and its arguments, run without a shell; its standard output is the body."
            ) { $0.source = .command($1) },
            Setting(
                "fifo",
                ValueType(.text(pattern: nil, example: "file")) { PathType.existingPipe($1, &$0) },
                "A named pipe, relative to the job file's folder; its content is the body."
            ) { $0.source = .pipe($1.path) },
            Setting(
                "contentType",
                ValueType(pattern: MediaTypeText.pattern, parse: MediaTypeText.parse),
                "The body's `Content-Type`; by default `application/octet-stream`."
            ) { $0.contentType = $1 },
        ],
        exactlyOneOf: ["command", "fifo"]
    )
}
