internal import TransferModel

/// `expect`: what a response must look like.
enum ExpectTable {
    static let table = SettingTable<Expectation>(
        "expect",
        [
            Setting(
                "statusCode",
                .oneOrMore(of: ValueType(pattern: StatusText.pattern, parse: StatusText.parse)),
                default: "[200-299]",
                "Status codes and ranges that count as success."
            ) { $0.statusCodes = $1 },
            Setting(
                "mimeType",
                .oneOrMore(of: ValueType(pattern: MIMETypeText.pattern, parse: MIMETypeText.parse)),
                default: "any",
                "MIME types without parameters; `type/*` matches a whole type."
            ) { $0.mimeTypes = $1 },
            .notYet("textEncoding"), .notYet("maximumSize"), .notYet("headers"), .notYet("json"),
        ]
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
                "`false` makes the 3xx the result; `sameOrigin` stays at home."
            ) { $0.follow = $1 },
            Setting("maximum", .integer(0...1000), default: "20", "Hops.") { $0.maximum = $1 },
            Setting(
                "allowMethodChange",
                .boolean,
                default: "false",
                "Whether a 301 or 302 may turn a POST into a GET."
            ) { $0.allowMethodChange = $1 },
        ]
    )
}
