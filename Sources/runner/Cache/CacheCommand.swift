import ArgumentParser
import HTTPCache
import JSON
import Report
import SystemKit
import TransferModel

/// `runner cache`: shows the contents of the HTTP cache.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        _superCommandName: Program.name,
        abstract: "Inspect, check or empty the HTTP cache.",
        discussion: Examples.discussion(
            """
            The cache is the folder in `RUNNER_CACHE_DIR`, or else `runner` in the user's cache folder; a session may \
            use another folder with `urlCache.directory`. After it is emptied, runner fetches the responses again.
            """,
            Example("how full is it", "runner cache stat"),
            Example("begin anew", "runner cache clear")
        ),
        subcommands: [Stat.self, List.self, Clear.self, Verify.self]
    )

    /// The choice of the cache and of the output.
    struct Options: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The folder of the cache. [env: RUNNER_CACHE_DIR] (default: runner in the user's "
                    + "cache folder)",
                valueName: "folder"
            ),
            completion: .directory
        )
        var directory: String?

        @Option(help: "The output format: text or json. [env: RUNNER_FORMAT] (default: text)")
        var format: OutputFormat?

        /// The folder, which may not exist.
        func folder() throws -> String {
            if let directory, !directory.isEmpty {
                if directory.hasBytePrefix("/") { return directory }
                return ProcessContext.workingFolder.map { "\($0)/\(directory)" } ?? directory
            }
            guard let path = CacheFolder.path(in: ProcessContext.environment) else {
                throw Exit(.environment, "there is no cache folder: name one with --directory")
            }
            return path
        }

        /// The stored responses; nil when there never were any.
        func inventory() throws -> DiskInventory? {
            let folder = try folder()
            return try Exit.environment { () throws(SystemError) in
                try DiskInventory.open(folder)
            }
        }
    }

    /// Writes text or a JSON document in one piece.
    static func write(
        _ format: OutputFormat,
        text: () -> String,
        json: (inout JSONWriter) -> Void
    ) throws {
        switch format {
        case .text: try StandardOutput.write(text())
        case .json:
            var writer = JSONWriter()
            json(&writer)
            writer.newline()
            try StandardOutput.write(json: writer.bytes.span)
        }
    }
}

extension CacheCommand {
    /// Shows the number and size of the stored responses.
    struct Stat: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stat",
            abstract: "Show how many responses are stored, and how many are fresh.",
            discussion: Examples.discussion(
                "",
                Example("of another cache", "runner cache stat --directory /var/cache/job")
            )
        )

        @OptionGroup var options: Options

        mutating func run() throws {
            let folder = try options.folder()
            let inventory = try options.inventory()
            let now = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
            var count: Int64 = 0
            var fresh: Int64 = 0
            var urls: Set<String> = []
            let size = try Exit.environment { () throws(SystemError) -> Int64 in
                try inventory?.forEachItem { item in
                    count += 1
                    urls.insert(item.url)
                    if Freshness(of: item.response, now: now).isFresh { fresh += 1 }
                }
                return try inventory?.size() ?? 0
            }
            let path = inventory?.path ?? folder
            try CacheCommand.write(
                OutputFormat.resolve(options.format),
                text: {
                    """
                    folder      \(TerminalText.harmless(path))
                    URLs        \(urls.count)
                    responses   \(count), \(fresh) of them fresh
                    size        \(size) bytes

                    """
                },
                json: { writer in
                    writer.beginObject()
                    writer.member("folder", path)
                    for (name, value) in [
                        ("urls", Int64(urls.count)), ("responses", count), ("fresh", fresh),
                        ("size", size),
                    ] {
                        writer.member(name, value)
                    }
                    writer.endObject()
                }
            )
        }
    }

    /// Lists the stored responses.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract:
                "List the stored responses: status, size, age and lifetime in seconds, and URL.",
            discussion: Examples.discussion(
                "",
                Example("the ten largest", "runner cache ls | sort -k2,2nr | head")
            )
        )

        @OptionGroup var options: Options

        mutating func run() throws {
            let now = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
            var items: [DiskInventory.Item] = []
            if let inventory = try options.inventory() {
                try Exit.environment { () throws(SystemError) in
                    try inventory.forEachItem { items.append($0) }
                }
            }
            items.sort { $0.url < $1.url }
            try CacheCommand.write(
                OutputFormat.resolve(options.format),
                text: {
                    items.map { item in
                        let freshness = Freshness(of: item.response, now: now)
                        let numbers = [
                            "\(item.response.statusCode)", "\(item.size)", "\(freshness.age)",
                            "\(freshness.lifetime)",
                        ]
                        return (numbers + [ForeignText().line(item.url)]).joined(separator: "\t")
                            + "\n"
                    }
                    .joined()
                },
                json: { writer in
                    writer.beginArray()
                    for item in items { Self.write(item, at: now, &writer) }
                    writer.endArray()
                }
            )
        }

        private static func write(
            _ item: DiskInventory.Item,
            at now: Timestamp,
            _ writer: inout JSONWriter
        ) {
            let freshness = Freshness(of: item.response, now: now)
            writer.beginObject()
            writer.member("url", item.url)
            for (name, value) in [
                ("statusCode", Int64(item.response.statusCode)), ("size", item.size),
                ("ageSeconds", freshness.age), ("lifetimeSeconds", freshness.lifetime),
            ] {
                writer.member(name, value)
            }
            writer.member("isFresh", freshness.isFresh)
            writer.key("varyingFields")
            writer.beginArray()
            for name in item.response.selection.names { writer.string(name) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// Removes the stored responses.
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Remove all stored responses; runs that are in progress may store more.",
            discussion: Examples.discussion(
                "",
                Example("of another cache", "runner cache clear --directory /var/cache/job")
            )
        )

        @OptionGroup var options: Options

        mutating func run() throws {
            let inventory = try options.inventory()
            let count = try Exit.environment { () throws(SystemError) in
                try inventory?.clear() ?? 0
            }
            try CacheCommand.write(
                OutputFormat.resolve(options.format),
                text: { "removed \(count) files\n" },
                json: { writer in
                    writer.beginObject()
                    writer.member("removedFiles", count)
                    writer.endObject()
                }
            )
        }
    }

    /// Checks every stored byte.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract:
                "Read all stored responses, and exit with 6 if one is damaged.",
            discussion: Examples.discussion(
                """
                runner never uses damaged files; `clear` removes them. The command also lists files that killed processes \
                left behind; these are not damage.
                """,
                Example(
                    "remove all if anything is damaged",
                    "runner cache verify || runner cache clear"
                )
            )
        )

        @OptionGroup var options: Options

        mutating func run() throws {
            let inventory = try options.inventory()
            let faults = try Exit.environment { () throws(SystemError) in
                try inventory?.verify() ?? []
            }
            let isDamaged = faults.contains(where: \.isDamage)
            try CacheCommand.write(
                OutputFormat.resolve(options.format),
                text: {
                    faults.map { TerminalText.harmless("\($0.name): \($0.reason)") + "\n" }.joined()
                        + (isDamaged ? "" : "nothing is damaged\n")
                },
                json: { writer in
                    writer.beginArray()
                    for fault in faults {
                        writer.beginObject()
                        writer.member("file", fault.name)
                        writer.member("reason", fault.reason)
                        writer.member("isDamage", fault.isDamage)
                        writer.endObject()
                    }
                    writer.endArray()
                }
            )
            if isDamaged { throw Exit(.integrity) }
        }
    }
}
