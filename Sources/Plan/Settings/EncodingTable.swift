/// `encoding` of an upload.
enum EncodingTable {
    /// The one key that is not about JSON.
    static let contentEncoding = "contentEncoding"

    static let table = SettingTable<BodyEncoding>(
        "encoding",
        [
            Setting(
                "outputFormatting",
                .list(of: .choice()),
                default: "[]",
                "The format options of JSON: `prettyPrinted`, `sortedKeys`, "
                    + "`withoutEscapingSlashes`."
            ) { encoding, options in
                let options: [JSONFormatting.Option] = options
                encoding.json.isPretty = options.contains(.prettyPrinted)
                encoding.json.sortsKeys = options.contains(.sortedKeys)
                encoding.json.escapesSlashes = !options.contains(.withoutEscapingSlashes)
            },
            Setting(
                "keyEncodingStrategy",
                .choice(),
                default: "useDefaultKeys",
                "How the keys of mappings are written."
            ) { $0.json.keys = $1 },
            Setting(
                "dateEncodingStrategy",
                .choice(),
                default: "iso8601",
                "How `!!timestamp` values are written."
            ) { $0.json.dates = $1 },
            Setting(
                contentEncoding,
                .choice(),
                default: "identity",
                "`gzip` compresses the body and sets `Content-Encoding`."
            ) { $0.content = $1 },
        ]
    )
}

extension IdempotencyKeyText {
    /// `none`, `auto` or a value.
    static let type = ValueType<KeyDraft>(
        .either(.text(pattern: "^[ -~]*[!#-~][ -~]*$"), .number(-1e15...1e15))
    ) { reader, field in
        guard let scalar = reader.scalar(field), let text = reader.text(of: scalar, field) else {
            return nil
        }
        // A server does not choose how its order is keyed: a captured word is a value.
        switch scalar.isCaptured ? nil : text {
        case "none"?: return KeyDraft.none
        case "auto"?: return .auto
        default: return reader.parsed(text, of: field, parse).map { .value($0) }
        }
    }
}
