internal import JobFile

/// `encoding` of an upload.
enum EncodingTable {
    /// The one key that is not about JSON.
    static let contentEncoding = "contentEncoding"

    /// A name, or a pattern.
    private static let dates = Setting<BodyEncoding>(
        KeyDescription(
            name: "dateEncodingStrategy",
            summary: "How `!!timestamp` values are written; or `{ formatted: pattern }`.",
            default: "iso8601",
            isRequired: false,
            shape: .either(named.shape, .mapping(dateTable.keys))
        )
    ) { encoding, reader, field in
        if reader.document.kind(of: field.node) == .mapping {
            var draft = DateDraft()
            reader.apply(dateTable, to: &draft, in: field)
            encoding.json.datePattern = draft.whole
        } else if let strategy = named.read(&reader, field) {
            encoding.json.dates = strategy
        }
    }

    private static let named = ValueType<JSONFormatting.DateStrategy>.choice()

    /// A pattern and its zone while they are read.
    struct DateDraft {
        var pattern: DatePattern?
        var offset: Int64 = 0

        /// nil without a pattern.
        var whole: DatePattern? {
            var pattern = pattern
            pattern?.offset = offset
            return pattern
        }
    }

    static let dateTable = SettingTable<DateDraft>(
        "dateFormat",
        [
            Setting(
                "formatted",
                ValueType(parse: { (text: String) throws(ValueFault) in try DatePattern(text) }),
                isRequired: true,
                "A pattern of Unicode TR35, such as `yyyy-MM-dd HH:mm`, with English names."
            ) { $0.pattern = $1 },
            Setting(
                "timeZone",
                ValueType(
                    pattern: DatePattern.offsetPattern,
                    parse: DatePattern.parseOffset
                ),
                default: "UTC",
                "The distance of the written dates from UTC, such as `+01:00`."
            ) { $0.offset = $1 },
        ]
    )

    /// A name, or the texts of the three kinds of numbers.
    private static let floats = Setting<BodyEncoding>(
        KeyDescription(
            name: "nonConformingFloatEncodingStrategy",
            summary:
                "How `.inf`, `-.inf` and `.nan` are written: not at all (`throw`), or as texts.",
            default: .value(throwing),
            isRequired: false,
            shape: .either(.choice([throwing]), .mapping(floatTable.keys))
        )
    ) { encoding, reader, field in
        if reader.document.kind(of: field.node) == .mapping {
            reader.apply(floatTable, to: &encoding.json.floatTexts, in: field)
        } else if let text = reader.text(field), text != throwing {
            reader.reportChoice(field, text, names: [throwing])
        }
    }

    private static let throwing = "throw"

    static let floatTable = SettingTable<JSONFormatting.FloatTexts?>(
        "floatTexts",
        [
            Setting(
                "convertToString",
                ValueType<JSONFormatting.FloatTexts>(.mapping(textTable.keys)) { reader, field in
                    var texts = JSONFormatting.FloatTexts()
                    reader.apply(textTable, to: &texts, in: field)
                    return texts
                },
                isRequired: true,
                "The texts of the three kinds of numbers."
            ) { $0 = $1 }
        ]
    )

    static let textTable = SettingTable<JSONFormatting.FloatTexts>(
        "convertToString",
        [
            Setting("positiveInfinity", .text, isRequired: true, "The text of `.inf`.") {
                $0.positiveInfinity = $1
            },
            Setting("negativeInfinity", .text, isRequired: true, "The text of `-.inf`.") {
                $0.negativeInfinity = $1
            },
            Setting("nan", .text, isRequired: true, "The text of `.nan`.") { $0.nan = $1 },
        ]
    )

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
            dates,
            Setting(
                "dataEncodingStrategy",
                .choice(),
                default: "base64",
                "How `!!binary` values are written."
            ) { $0.json.data = $1 },
            floats,
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
        // A server must not switch the key off or to `auto`, so these words are plain values when
        // captured.
        switch scalar.isCaptured ? nil : text {
        case "none"?: return KeyDraft.none
        case "auto"?: return .auto
        default: return reader.parsed(text, of: field, parse).map { .value($0) }
        }
    }
}
