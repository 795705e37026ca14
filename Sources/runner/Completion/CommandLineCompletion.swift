import JobFile
import Plan
import SystemKit

/// The possible words in place of the last word of a command line.
///
/// Reads the words as the parser does, as far as they are there.
struct CommandLineCompletion {
    /// A possible word.
    struct Candidate {
        var text: String
        var summary: String
    }

    /// The paths that are possible, which the shell finds itself.
    enum Paths {
        /// With one of these extensions; any files without them.
        case files([String])
        case folders
    }

    /// The names that only job files and the state folder know.
    struct Names {
        var tasks: (_ jobPath: String) -> [String]
        var variables: (_ jobPath: String) -> [String]
        var sessions: (_ stateFolder: String?) -> [String]
    }

    private(set) var candidates: [Candidate] = []
    private(set) var paths: Paths?

    private let names: Names
    private var command: CommandTree
    private var pending: CommandTree.Argument?
    private var usedOptions: Set<String> = []
    private var positionals: [String] = []
    /// The words of options that take many: the job file may be one of them.
    private var manyWords: [String] = []
    private var stateFolder: String?
    private var onlyPositionalsFollow = false

    /// Completes the last of `words`, which may be empty.
    init(of words: [String], in tree: CommandTree, names: Names) {
        command = tree
        self.names = names
        for word in words.dropLast() { read(word) }
        complete(words.last ?? "")
    }

    /// One line about paths, `words`, `files EXTENSION…` or `folders`, and one line for each
    /// candidate with its summary after a tab.
    var text: String {
        let head =
            switch paths {
            case nil: "words"
            case .files(let extensions): (["files"] + extensions).joined(separator: " ")
            case .folders: "folders"
            }
        return head + "\n" + candidates.map { "\($0.text)\t\($0.summary)\n" }.joined()
    }

    private mutating func read(_ word: String) {
        if onlyPositionalsFollow {
            positionals.append(word)
        } else if word == "--" {
            (onlyPositionalsFollow, pending) = (true, nil)
        } else if word.hasBytePrefix("-"), word != "-" {
            readOption(word)
        } else if let option = pending {
            if option.names.contains("--state-dir") { stateFolder = word }
            if option.takesManyWords { manyWords.append(word) } else { pending = nil }
        } else if let next = command.subcommands.first(where: { $0.name == word }) {
            // `help` takes the names of its siblings.
            let siblings = command.subcommands.filter { $0.name != next.name }
            command = next
            if next.name == "help" { command.subcommands = siblings }
        } else {
            positionals.append(word)
        }
    }

    private mutating func readOption(_ word: String) {
        let parts = word.splitAtBytes("=", maxSplits: 1).map(String.init)
        guard let name = parts.first, let option = command.option(name) else {
            return pending = nil
        }
        if !option.isRepeating { usedOptions.formUnion(option.names) }
        pending = option.values == nil || parts.count == 2 ? nil : option
        if name == "--state-dir", parts.count == 2 { stateFolder = parts[1] }
    }

    private mutating func complete(_ word: String) {
        let isOption = word.hasBytePrefix("-") && !onlyPositionalsFollow
        if let option = pending, !isOption, let values = option.values {
            offer(values, for: word)
            // The job file may follow the ids.
            if option.takesManyWords, jobPath == nil { paths = .files(Self.jobExtensions) }
        } else if isOption, let equals = word.firstByteIndex(of: "=") {
            let name = String(word[..<equals])
            guard let values = command.option(name)?.values else { return }
            offer(values, for: word, prefix: name + "=")
        } else if isOption {
            offerOptions(for: word)
        } else if !command.subcommands.isEmpty, positionals.isEmpty {
            offer(command.subcommands.map { Candidate(text: $0.name, summary: $0.summary) }, word)
        } else if let positional = nextPositional, let values = positional.values {
            offer(values, for: word)
        } else if word.isEmpty {
            offerOptions(for: word)
        }
    }

    private static let jobExtensions = ["yaml", "yml"]

    private var nextPositional: CommandTree.Argument? {
        if positionals.count < command.positionals.count {
            return command.positionals[positionals.count]
        }
        guard let last = command.positionals.last, last.isRepeating else { return nil }
        return last
    }

    private mutating func offerOptions(for word: String) {
        let options = command.options.filter { usedOptions.isDisjoint(with: $0.names) }
        let long = options.compactMap { option in
            (option.names.first { $0.hasBytePrefix("--") } ?? option.names.first).map {
                Candidate(text: $0, summary: option.summary)
            }
        }
        offer(long, word)
    }

    private mutating func offer(
        _ values: CommandTree.Values,
        for word: String,
        prefix: String = ""
    ) {
        var found: [String] = []
        switch values {
        case .words(let words): found = words
        case .files(let extensions): paths = .files(extensions)
        case .folders: paths = .folders
        case .named("id"): found = jobPath.map(names.tasks) ?? []
        case .named("identifier"): found = names.sessions(stateFolder)
        case .named("name=value"): found = (jobPath.map(names.variables) ?? []).map { $0 + "=" }
        case .named: break
        }
        let used = Set(manyWords)
        offer(
            found.filter { !used.contains($0) }.map { Candidate(text: prefix + $0, summary: "") },
            word
        )
    }

    /// Keeps the candidates that begin with the word and that no shell and no terminal obeys.
    ///
    /// An invalid job file may have any names. No quotes make them safe: a shell inserts its own
    /// quotes into a word that the user may have begun with others.
    private mutating func offer(_ found: [Candidate], _ word: String) {
        candidates += found.filter { candidate in
            candidate.text.hasBytePrefix(word) && candidate.text.utf8.allSatisfy(Self.isPlain)
        }
    }

    /// Whether a byte may be in the name of a task, variable, session or option.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "._-=".utf8.contains(byte)
    }

    /// The job file among the words so far.
    private var jobPath: String? {
        positionals.first
            ?? manyWords.first { $0.hasByteSuffix(".yaml") || $0.hasByteSuffix(".yml") }
    }
}

extension CommandLineCompletion.Names {
    /// The names in files of this machine; a file that cannot be read has none.
    static func ofThisMachine() -> CommandLineCompletion.Names {
        CommandLineCompletion.Names(
            tasks: { declared(in: $0)?.tasks ?? [] },
            variables: { declared(in: $0)?.variables ?? [] },
            sessions: { chosen in
                let state = StateFolder(
                    chosen: chosen ?? EnvironmentOption.text("STATE_DIR"),
                    environment: ProcessContext.environment
                )
                return (try? state.background().identifiers) ?? []
            }
        )
    }

    private static func declared(in path: String) -> DeclaredNames? {
        let path = withHome(path)
        // Opening a pipe would wait for its writer.
        guard let kind = try? InputFile.kind(of: path), kind == .regular,
            let bytes = try? InputFile(path: path).readPrefix(limit: DocumentLimits.bytes + 1)
        else { return nil }
        let options = PlanOptions {
            $0.workingFolder = ProcessContext.workingFolder ?? "/"
            $0.fileStatus = JobSource.status
            $0.resolvedPath = JobIdentity.canonicalPath
            $0.dataFile = { try? OpenDataFile(path: $0) }
        }
        return Inclusion(bytes, name: path, options: options).document.map(DeclaredNames.init)
    }

    /// A path with the home folder in place of a tilde, which shells expand later.
    private static func withHome(_ path: String) -> String {
        guard let rest = path.withoutBytePrefix("~/"), let home = ProcessContext.homeFolder else {
            return path
        }
        return home + "/" + rest
    }
}
