internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A `read` step while it is read.
struct StreamReadDraft: Sendable {
    var count: Int64?
    var minLength: Int64?
    var maxLength: Int64?
    var delimiter: String?
    var linePattern: String?
    var isUntilClosed = false
    var maximumSize: Int64?
    var text: String?
    var pattern: String?
    var captures: [Capture] = []
    var file: PathValue?

    /// How the step ends; nil when the job file does not say it.
    private var end: StreamReading.End? {
        if let count { return .count(count) }
        if let maxLength { return .range(min(minLength ?? 1, maxLength)...maxLength) }
        if let delimiter { return .delimiter(Array(delimiter.utf8)) }
        if let linePattern { return .line(pattern: linePattern) }
        return isUntilClosed ? .closed : nil
    }

    var reading: StreamReading? {
        end.map { end in
            StreamReading(
                until: end,
                maximumSize: maximumSize ?? (file == nil ? StreamReading.usualSize : nil),
                text: text,
                pattern: pattern,
                captures: captures,
                isForFile: file != nil
            )
        }
    }
}

/// `read`: how a step takes bytes.
enum StreamReadTable {
    static let table = SettingTable<StreamReadDraft>(
        "read",
        [
            Setting("count", size, "The step takes exactly so many bytes, such as `512B`.") {
                $0.count = $1
            },
            Setting(
                "minLength",
                size,
                default: "1B",
                onlyWith: "maxLength",
                "The step ends when at least so many bytes have arrived."
            ) { $0.minLength = $1 },
            Setting("maxLength", size, "The step takes so many bytes at most.") {
                $0.maxLength = $1
            },
            Setting(
                "until",
                delimiter,
                "The step ends with this text, which is not part of the result."
            ) { $0.delimiter = $1 },
            Setting(
                "untilLine",
                CaptureTable.pattern,
                "The step ends with the first line that this PCRE2 pattern matches."
            ) { $0.linePattern = $1 },
            Setting(
                "untilClosed",
                .boolean,
                "`true` ends the step when the peer sends no more."
            ) { $0.isUntilClosed = $1 },
            Setting(
                "maximumSize",
                size,
                default: .words("1MiB; none with `to`"),
                "The most bytes that a step with `until`, `untilLine` or `untilClosed` takes."
            ) { $0.maximumSize = $1 },
            Setting("expect", expectTable, "The requirements for the bytes.") { draft, apply in
                apply(&draft)
            },
            Setting(
                "capture",
                CaptureTable.type,
                "Named values from the bytes, for `${task.ID.name}` in later tasks."
            ) { $0.captures = $1 },
            Setting(
                "to",
                PathType.destinationType,
                "The file for the bytes, relative to the job file's folder."
            ) { $0.file = $1 },
        ],
        exactlyOneOf: ["count", "maxLength", "until", "untilLine", "untilClosed"]
    )

    static let expectTable = SettingTable<StreamReadDraft>(
        "expectedBytes",
        [
            Setting("text", .text, "The whole text that must have arrived.") { $0.text = $1 },
            Setting(
                "regex",
                CaptureTable.pattern,
                "A PCRE2 pattern that matches somewhere in the bytes."
            ) { $0.pattern = $1 },
        ]
    )

    static let type = ValueType<StreamReadDraft>(.mapping(table.keys)) { reader, field in
        guard let draft = reader.value(StreamReadDraft(), with: table, in: field) else {
            return nil
        }
        check(draft, field, &reader)
        return draft
    }.faultless

    /// Reports keys that exclude each other, bytes that do not fit into the memory, and captures
    /// that bytes do not have.
    private static func check(_ draft: StreamReadDraft, _ field: Field, _ reader: inout Reader) {
        func key(_ name: String) -> NodeID {
            reader.document.value(of: field.node, for: name)?.key ?? field.key
        }
        if let minLength = draft.minLength, let maxLength = draft.maxLength, minLength > maxLength {
            reader.report(
                .outOfRange,
                "`minLength` is larger than `maxLength`",
                at: key("minLength")
            )
        }
        let hasLength = draft.count != nil || draft.maxLength != nil
        if hasLength, draft.maximumSize != nil {
            reader.report(
                .conflictingKeys,
                "`maximumSize` has no effect: the step says how many bytes it takes",
                at: key("maximumSize")
            )
        }
        if draft.reading == nil {
            reader.report(
                .badValue,
                "`untilClosed`: the only value is `true`",
                at: key("untilClosed")
            )
        }
        if draft.file == nil {
            for (name, size) in [
                ("count", draft.count), ("maxLength", draft.maxLength),
                ("maximumSize", draft.maximumSize),
            ] where (size ?? 0) > StreamReading.largestSize {
                reader.report(
                    .outOfRange,
                    "`\(name)`: a step keeps at most 64 MiB in memory",
                    at: key(name),
                    help: "write the bytes to a file with `to`"
                )
            }
        }
        for (name, isSet) in [
            ("expect", draft.text != nil || draft.pattern != nil),
            ("capture", !draft.captures.isEmpty),
        ] where isSet && draft.file != nil {
            reader.report(
                .conflictingKeys,
                "`\(name)` and `to` exclude each other: bytes for a file are not kept in memory",
                at: key(name)
            )
        }
        reader.checkHeaderless(draft.captures, of: "a stream", in: field)
    }

    /// A size of at least one byte.
    private static let size = ValueType<Int64>(
        pattern: ByteSizeText.pattern,
        example: ByteSizeText.example
    ) { text throws(ValueFault) in
        let size = try ByteSizeText.parse(text)
        guard size > 0 else { throw ValueFault(.outOfRange, "at least `1B` is needed") }
        return size
    }

    private static let delimiter = ValueType<String>(.text(pattern: "^[\\s\\S]+$")) {
        reader,
        field in
        guard let text = reader.text(field) else { return nil }
        guard (1...1024).contains(text.utf8.count) else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: the text has 1 to 1024 bytes",
                at: field.node
            )
            return nil
        }
        return text
    }
}
