internal import JobFile
internal import SystemKit

/// `forEach` of a task, before a file is opened.
struct ForEachDraft: Sendable {
    enum Form: Sendable {
        case items(Field)
        case range(Field)
        case matrix(Field)
        case data(DataFormat, PathValue, Field)
        case glob(Field)
    }

    var form: Form?
    var exclude: Field?
    /// Whether wildcards of `glob` match names that begin with a dot.
    var includesHidden = false
    var key: Field?
}

/// `forEach` of a task.
enum ForEachTable {
    static let table = SettingTable<ForEachDraft>(
        "forEach",
        [
            Setting(
                "items",
                .field(.list(.anything)),
                "A list of scalars, or of mappings whose values are `${item.name}`."
            ) { $0.form = .items($1) },
            data(.csv, "A CSV file (RFC 4180) with a header row: `${item.column}`."),
            data(.jsonLines, "A file with one JSON value on each line: `${item.member}`."),
            data(.lines, "A text file: each line is an item."),
            Setting(
                "glob",
                .field(.oneOrMore(.text(pattern: nil))),
                "The files that patterns name, such as site/**/*.html: `${item.path}`, "
                    + "`${item.relativePath}`, `${item.name}`; a pattern after `!` excludes."
            ) { $0.form = .glob($1) },
            Setting(
                "hidden",
                .boolean,
                default: "false",
                onlyWith: "glob",
                "Whether wildcards match names that begin with a dot."
            ) { $0.includesHidden = $1 },
            Setting(
                "range",
                .field(.tuple(ValueType<Int>.integer(numbers).shape, 2...3)),
                "The first and the last number, and perhaps a step: [1, 100, 2]."
            ) { $0.form = .range($1) },
            Setting(
                "matrix",
                .field(.someNamed(.list(.scalar), pattern: namePattern)),
                "Named lists of scalars: each combination is an item."
            ) { $0.form = .matrix($1) },
            Setting(
                "exclude",
                .field(.list(.someNamed(.scalar, pattern: namePattern))),
                onlyWith: "matrix",
                "Combinations of `matrix` to leave out; an omitted name matches any value."
            ) { $0.exclude = $1 },
            Setting(
                "key",
                .field(.text(pattern: nil)),
                default: .words(
                    "the item itself, or its `id`, its `key`, its `relativePath` or its first field "
                        + "without the name of a secret"
                ),
                "The key of each task of the `forEach`: its id is `id[key]`."
            ) { $0.key = $1 },
        ],
        exactlyOneOf: ["items", "csv", "jsonLines", "lines", "glob", "range", "matrix"],
        shorthand: Shorthand(
            ofScalar: { path in
                if path.utf8.contains(UInt8(ascii: "*")) { return "glob" }
                return switch path.splitAtBytes(".").last?.lowercased() {
                case "csv": "csv"
                case "jsonl", "ndjson": "jsonLines"
                case "txt", "list": "lines"
                default: nil
                }
            },
            ofList: "items"
        )
    )

    static let numbers = -1_000_000_000_000...1_000_000_000_000
    private static let namePattern = "^[^${}:]+$"

    private static func data(_ format: DataFormat, _ summary: String) -> Setting<ForEachDraft> {
        Setting(format.rawValue, PathType.existingType.withField, summary) {
            $0.form = .data(format, $1.value, $1.field)
        }
    }
}
