internal import SystemKit
internal import TransferModel

/// `expect`: the requirements for a response.
enum ExpectTable {
    static let table = SettingTable<Expectation>(
        "expect",
        [
            Setting(
                "statusCode",
                .oneOrMore(of: statusCode),
                default: "[200-299]",
                "Status codes and ranges that count as success."
            ) { $0.statusCodes = $1 },
            Setting(
                "mimeType",
                MIMETypeText.types,
                default: .words("any"),
                "MIME types without parameters; `type/*` matches all subtypes."
            ) { $0.mimeTypes = $1 },
            Setting(
                "textEncoding",
                .choice(),
                default: .words("any"),
                "The body must be text in this encoding."
            ) { $0.textEncoding = $1 },
            Setting(
                "maximumSize",
                ByteSizeText.type,
                default: .words("any"),
                "The largest body that is accepted, such as `10MiB`."
            ) { $0.maximumSize = $1 },
            Setting(
                "headers",
                HeaderFieldsType.expected,
                "Header fields that the response must have, with their values; `*` matches any "
                    + "value."
            ) { $0.headers = HeaderFieldsType.merge($1, over: $0.headers) },
            Setting(
                "json",
                ExpectedJSONType.type,
                "Values of a JSON body by their pointers, or a list of pointers that must exist."
            ) { $0.json = ExpectedJSONType.merge($1, over: $0.json) },
        ],
        shorthand: Shorthand(
            ofScalar: { text in
                if Int(text.prefix(1)) != nil { return "statusCode" }
                return text.containsBytes("/") ? "mimeType" : nil
            },
            ofList: "statusCode"
        )
    )

    private static let statusCode = ValueType<ClosedRange<Int>>(
        .either(.integer(100...599), .text(pattern: StatusText.pattern, example: "200"))
    ) { reader, field in
        guard let text = reader.text(field) else { return nil }
        return reader.parsed(text, of: field, StatusText.parse)
    }
}

extension MIMETypeText {
    /// One type, or several of which one must fit.
    static let types = ValueType<[String]>.oneOrMore(
        of: ValueType(pattern: pattern, example: "application/json", parse: parse)
    )
}

/// `redirects`: how far they are followed.
enum RedirectTable {
    static let table = SettingTable<RedirectRule>(
        "redirects",
        [
            Setting(
                "follow",
                .choice(),
                default: "true",
                "`false` makes the 3xx response the result; `sameOrigin` follows redirects only "
                    + "within the origin; `fail` follows none."
            ) { $0.follow = $1 },
            Setting(
                "decisions",
                .list(of: decision),
                default: "[]",
                "Other values of `follow` for some origins; the first entry that matches the "
                    + "target counts."
            ) { $0.decisions = $1 },
            Setting(
                "maximum",
                .integer(0...1000),
                default: "20",
                "The most redirects that a request "
                    + "follows."
            ) { $0.maximum = $1 },
            Setting(
                "allowMethodChange",
                .boolean,
                default: "false",
                "Whether a 301 or 302 may turn a POST into a GET."
            ) { $0.allowMethodChange = $1 },
        ],
        shorthand: Shorthand { text in
            if Int(text) != nil { return "maximum" }
            return RedirectRule.Follow(rawValue: text) == nil ? nil : "follow"
        }
    )

    static let decisionTable = SettingTable<DecisionDraft>(
        "redirectDecision",
        [
            Setting(
                "origin",
                ValueType(
                    pattern: PatternText.originPattern,
                    example: "https://example.com",
                    parse: PatternText.parseOrigin
                ),
                isRequired: true,
                "The origins of the targets, such as `https://*.example.com`; `*` is any."
            ) { $0.origin = $1 },
            Setting(
                "follow",
                .choice(),
                isRequired: true,
                "What a redirect to them does."
            ) { $0.follow = $1 },
        ]
    )

    /// A decision while its two keys are read.
    struct DecisionDraft {
        var origin: OriginPattern?
        var follow: RedirectRule.Follow?
    }

    private static let decision = ValueType<RedirectRule.Decision>(
        .mapping(decisionTable.keys)
    ) { reader, field in
        var draft = DecisionDraft()
        reader.apply(decisionTable, to: &draft, in: field)
        guard let origin = draft.origin, let follow = draft.follow else { return nil }
        return RedirectRule.Decision(origin: origin, follow: follow)
    }
}

/// `mixedReplace`: the rule for the parts of a `multipart/x-mixed-replace` response.
enum MixedReplaceTable {
    static let table = SettingTable<MixedReplaceRule>(
        "mixedReplace",
        [
            Setting(
                "keep",
                .choice(),
                default: "last",
                "The body of the task: the `last` part, or `all` parts as lines of JSON."
            ) { $0.keep = $1 },
            Setting(
                "stopAfter",
                .integer(1...1_000_000),
                default: .words("all parts of the server"),
                "The number of whole parts after which the task ends."
            ) { $0.stopAfter = $1 },
        ],
        shorthand: Shorthand { MixedReplaceRule.Kept(rawValue: $0) == nil ? nil : "keep" }
    )

    static let type = ValueType(table, from: MixedReplaceRule())
}
