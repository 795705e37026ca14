import ArgumentParser
import JSON

/// A command with its subcommands and arguments, as the argument parser describes them for help.
struct CommandTree {
    /// The values of an argument.
    enum Values {
        /// One of these words.
        case words([String])
        /// A file with one of these extensions; any file without them.
        case files([String])
        case folders
        /// Anything else, by the name of the value in help.
        case named(String)
    }

    /// An option, a flag or a positional argument.
    struct Argument {
        /// With their dashes; empty for a positional argument.
        var names: [String]
        /// nil for a flag.
        var values: Values?
        var isRepeating: Bool
        /// Whether it takes every word up to the next option.
        var takesManyWords: Bool
        var summary: String
    }

    var name: String
    var summary: String
    var options: [Argument] = []
    var positionals: [Argument] = []
    var subcommands: [CommandTree] = []

    /// The tree of the command line.
    ///
    /// - Parameter text: The parser's description, from `_dumpHelp()`.
    /// - Throws: The fault of the description.
    init(_ text: String) throws(JSONSyntaxError) {
        let document = try JSONValue(text)
        self.init(command: document["command"] ?? .null)
    }

    private init(command: JSONValue) {
        name = command["commandName"]?.string ?? ""
        summary = Self.firstLine(command["abstract"]?.string)
        for argument in command["arguments"]?.elements ?? [] {
            guard argument["shouldDisplay"]?.bool != false else { continue }
            let part = Argument(argument)
            if part.names.isEmpty { positionals.append(part) } else { options.append(part) }
        }
        for subcommand in command["subcommands"]?.elements ?? []
        where subcommand["shouldDisplay"]?.bool != false {
            subcommands.append(CommandTree(command: subcommand))
        }
    }

    /// The option with a name such as `--only`.
    func option(_ name: String) -> Argument? { options.first { $0.names.contains(name) } }

    fileprivate static func firstLine(_ text: String?) -> String {
        String((text ?? "").prefix { $0 != "\n" })
    }
}

extension CommandTree.Argument {
    fileprivate init(_ description: JSONValue) {
        names = (description["names"]?.elements ?? []).compactMap { name in
            guard let text = name["name"]?.string else { return nil }
            return (name["kind"]?.string == "long" ? "--" : "-") + text
        }
        let isFlag = description["kind"]?.string == "flag"
        values = isFlag ? nil : CommandTree.Values(description)
        isRepeating = description["isRepeating"]?.bool ?? false
        takesManyWords = description["parsingStrategy"]?.string == "upToNextOption"
        summary = CommandTree.firstLine(description["abstract"]?.string)
    }
}

extension CommandTree.Values {
    fileprivate init(_ description: JSONValue) {
        let kind = description["completionKind"]
        let words = description["allValues"]?.elements.compactMap(\.string) ?? []
        if !words.isEmpty {
            self = .words(words)
        } else if let files = kind?["file"] {
            self = .files(files["extensions"]?.elements.compactMap(\.string) ?? [])
        } else if kind?["directory"] != nil {
            self = .folders
        } else {
            self = .named(description["valueName"]?.string ?? "")
        }
    }
}
