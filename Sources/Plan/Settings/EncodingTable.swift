/// How a JSON body is written: the options of JSONEncoder.
struct JSONFormatting: Sendable, Hashable {
    /// The names of `JSONEncoder.OutputFormatting`.
    enum Option: String, Sendable, CaseIterable {
        case prettyPrinted
        case sortedKeys
        case withoutEscapingSlashes
    }

    var options: Set<Option> = []
}

/// `encoding` of an upload.
enum EncodingTable {
    static let table = SettingTable<JSONFormatting>(
        "encoding",
        [
            Setting(
                "outputFormatting",
                .list(of: .choice()),
                default: "[]",
                "`prettyPrinted`, `sortedKeys`, `withoutEscapingSlashes`."
            ) { $0.options = Set($1) },
            .notYet("keyEncodingStrategy"), .notYet("dateEncodingStrategy"),
            .notYet("contentEncoding"),
        ]
    )
}

extension IdempotencyKeyText {
    /// `none`, which is nil, or a value; `auto` is for later.
    static let type = ValueType<String?>(.text(pattern: nil)) { reader, field in
        guard let text = reader.text(field) else { return nil }
        if text == "none" { return .some(nil) }
        if text == "auto" {
            reader.reportChoice(field, text, names: [], later: ["auto"])
            return nil
        }
        return reader.parsed(text, of: field, parse).map { .some($0) }
    }
}
