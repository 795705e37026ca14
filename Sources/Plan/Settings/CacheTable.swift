internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `urlCache` of a session, and the use of stored responses by its tasks.
enum CacheTable {
    static let none = "none"

    /// The rule itself; a mapping is merged into one that `defaults` has.
    static let setting = Setting<SessionConfiguration>(
        KeyDescription(
            name: "urlCache",
            summary: "The cache of responses for later requests and runs; or `none`.",
            default: .words("by configuration"),
            isRequired: false,
            shape: .either(.choice([none]), .mapping(table.keys))
        )
    ) { session, reader, field in urlCache(field, into: &session.urlCache, &reader) }

    static let table = SettingTable<URLCacheConfiguration>(
        "urlCache",
        [
            Setting(
                "directory",
                PathType.type,
                default: .words("the user's cache folder"),
                "The folder of a `default` session's cache; jobs with the same folder share its "
                    + "responses."
            ) { $0.directory = $1.path },
            Setting(
                "diskCapacity",
                ByteSizeText.type,
                default: "1GiB",
                "The most bytes that stored responses take on disk; one response takes at most a "
                    + "twentieth."
            ) { $0.diskCapacity = $1 },
            Setting(
                "memoryCapacity",
                ByteSizeText.type,
                default: "16MiB",
                "The most bytes that stored responses of an `ephemeral` session take in memory."
            ) { $0.memoryCapacity = $1 },
            Setting(
                "staleIfError",
                .duration(allowsZero: true),
                default: "0s",
                "How long a stale response may replace the response of an origin that fails."
            ) { $0.staleIfError = $1 },
            Setting(
                "willCacheResponse",
                .list(of: rule),
                default: "[]",
                "Which responses the cache stores; the first entry that matches a response counts."
            ) { $0.storingRules = $1 },
        ]
    )

    static let ruleTable = SettingTable<StoringRule>(
        "storingRule",
        [
            Setting(
                "url",
                .oneOrMore(
                    of: ValueType(
                        pattern: URLPattern.form,
                        example: "https://example.com/*",
                        parse: PatternText.parseURL
                    )
                ),
                default: .words("any"),
                "URLs of responses, such as `https://*.example.com/images/*`; without `?` the "
                    + "query does not matter."
            ) { $0.urls = $1 },
            Setting(
                "mimeType",
                MIMETypeText.types,
                default: .words("any"),
                "MIME types of responses without parameters; `type/*` matches all subtypes."
            ) { $0.mimeTypes = $1 },
            Setting(
                "store",
                .boolean,
                isRequired: true,
                "`false` excludes the responses; `true` stores those that HTTP permits to store."
            ) { $0.stores = $1 },
        ]
    )

    private static let rule = ValueType(ruleTable, from: StoringRule(stores: true))

    static let requestPolicy = Setting<SessionConfiguration>(
        "requestCachePolicy",
        .choice(),
        default: "useProtocolCachePolicy",
        "How requests use stored responses."
    ) { $0.requestCachePolicy = $1 }

    static let taskPolicy = Setting<TaskDraft>(
        "cachePolicy",
        .choice(),
        default: .words("the session's requestCachePolicy"),
        "How the request uses stored responses."
    ) { $0.cachePolicy = $1 }
}

extension CacheTable {
    /// Reads a session's cache setting; a mapping changes the setting of `defaults`, a word
    /// replaces it.
    private static func urlCache(
        _ field: Field,
        into rule: inout URLCacheRule?,
        _ reader: inout Reader
    ) {
        guard reader.document.kind(of: field.node) == .mapping else {
            guard let text = reader.text(field) else { return }
            if text == CacheTable.none {
                rule = URLCacheRule.none
            } else {
                reader.reportChoice(field, text, names: [CacheTable.none])
            }
            return
        }
        var inherited = URLCacheConfiguration()
        if case .kept(let cache)? = rule { inherited = cache }
        if let cache = reader.value(inherited, with: CacheTable.table, in: field) {
            rule = .kept(cache)
        }
    }
}
