internal import Diagnostics
internal import TransferModel

/// `becomeDownload`: the size from which the response of a data task is written to a file.
enum BecomeDownloadTable {
    /// The mapping while it is read.
    struct Draft: Sendable {
        var size: Int64?
        var path: PathValue?
    }

    /// A mapping whose two keys are known.
    struct Rule: Sendable {
        /// The largest body that stays in memory, bytes.
        var size: Int64
        var path: PathValue
    }

    /// The largest limit, bytes: a body up to it may have to stay in memory.
    static let largestSize: Int64 = 16 << 20

    static let table = SettingTable<Draft>(
        "becomeDownload",
        [
            Setting(
                "largerThan",
                ValueType(
                    pattern: ByteSizeText.pattern,
                    example: ByteSizeText.example,
                    parse: parseSize
                ),
                isRequired: true,
                "The largest body that stays in memory, such as `1MiB`; at most 16MiB."
            ) { $0.size = $1 },
            Setting(
                "to",
                PathType.destinationType,
                isRequired: true,
                "The file for a larger body, relative to the job file's folder."
            ) { $0.path = $1 },
        ]
    )

    static let type = ValueType<Rule>(.mapping(table.keys)) { reader, field in
        var draft = Draft()
        reader.apply(table, to: &draft, in: field)
        guard let size = draft.size, let path = draft.path else { return nil }
        return Rule(size: size, path: path)
    }

    private static func parseSize(_ text: String) throws(ValueFault) -> Int64 {
        let size = try ByteSizeText.parse(text)
        guard size <= largestSize else {
            throw ValueFault(
                .badSize,
                "`\(text.excerpt)` is more than 16MiB, the largest body that may stay in memory"
            )
        }
        return size
    }
}
