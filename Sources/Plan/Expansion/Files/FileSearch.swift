internal import Diagnostics
internal import JobFile
internal import SystemKit

/// `forEach: { glob: … }`: the files of its patterns without those of patterns that begin with `!`.
struct FileSearch {
    private let options: PlanOptions
    private let includesHidden: Bool
    private var files: [FileRows.File] = []
    private var exclusions: [FilePathPattern] = []
    private var wantedPatterns = 0
    /// How many names the searches of the job have looked at.
    private var names: Int
    /// The bases with `..`, and where they lead to.
    private var resolved: [String: String] = [:]
    /// Whether a pattern's folder could not be read, which may be a fault or only a warning.
    private var isIncomplete = false

    /// The files in the order of their names; nil after the report of a fault.
    ///
    /// `names` counts the names that all searches of the job have looked at.
    static func rows(
        _ field: Field,
        includesHidden: Bool,
        names: inout Int,
        _ options: PlanOptions,
        _ reader: inout Reader
    ) -> FileRows? {
        var search = FileSearch(options: options, includesHidden: includesHidden, names: names)
        defer { names = search.names }
        let isOne = reader.document.kind(of: field.node) == .scalar
        guard isOne || reader.isList(field) else { return nil }
        let nodes = isOne ? [field.node] : Array(reader.document.elements(of: field.node))
        let isFaultless = reader.isFaultless {
            for node in nodes {
                search.add(Field(name: field.name, key: field.key, node: node), &$0)
            }
        }
        guard isFaultless, !search.isIncomplete else { return nil }
        guard search.wantedPatterns > 0 else {
            reader.report(
                .badValue,
                "`\(field.name)`: no pattern names files",
                at: field.node,
                help: "write a pattern without `!`, such as `site/**`"
            )
            return nil
        }
        let files = search.chosenFiles
        guard checkNames(files, field, &reader) else { return nil }
        return FileRows(files: files)
    }

    private init(options: PlanOptions, includesHidden: Bool, names: Int) {
        self.names = names
        self.options = options
        self.includesHidden = includesHidden
    }

    private mutating func add(_ field: Field, _ reader: inout Reader) {
        guard let value = PathType.path(field, &reader) else { return }
        let isExclusion = value.text.utf8.first == UInt8(ascii: "!")
        let path =
            isExclusion
            ? AbsolutePath.make(String(value.text.dropFirst()), in: reader.folder) : value.path
        do throws(ValueFault) {
            guard isExclusion else {
                wantedPatterns += 1
                return find(
                    try FilePathPattern(path, in: reader.folder),
                    value.text,
                    field,
                    &reader
                )
            }
            let folder = AbsolutePath.withoutClimbs(reader.folder)
            exclusions.append(
                try FilePathPattern(AbsolutePath.withoutClimbs(path), in: folder)
            )
        } catch {
            reader.report(error, of: field)
        }
    }

    private mutating func find(
        _ pattern: FilePathPattern,
        _ text: String,
        _ field: Field,
        _ reader: inout Reader
    ) {
        var walk = FileWalk(pattern, includesHidden: includesHidden, names: names)
        defer { names = walk.names }
        do throws(FileWalk.Fault) {
            try walk.run(resolve: options.resolvedPath, options.folder)
        } catch {
            isIncomplete = true
            let reason =
                switch error {
                case .missingFolder(let path): "there is no folder `\(shown(path, reader))`"
                case .unreadable(let path, let reason):
                    "the folder `\(shown(path, reader))` cannot be read: \(reason)"
                case .tooMany:
                    "`\(text.excerpt)` means more than \(FileWalk.mostFiles) files, or the folders of "
                        + "all patterns have more than \(FileWalk.mostNames) names"
                }
            let code: JobCode = if case .tooMany = error { .outOfRange } else { .missingFile }
            return reader.report(code, "`\(field.name)`: \(reason)", at: field.node)
        }
        if walk.files.isEmpty, walk.matchingFolder != nil {
            return reader.report(
                .badPath,
                "`\(field.name)`: `\(text.excerpt)` is a folder",
                at: field.node,
                help: "write `\(text.excerpt)/**` for all files in it and below"
            )
        }
        let skipped = FileWalk.Skipped.allCases.compactMap { kind in
            walk.skipped[kind].map { count, example in
                let path = shown(pattern.base + "/" + example, reader)
                return "\(kind.words(count))\(count == 1 ? ":" : ", such as") `\(path)`"
            }
        }
        if !skipped.isEmpty {
            reader.faults.log.warn(
                .skippedFiles,
                "`\(field.name)` skips \(skipped.joined(separator: "; "))",
                at: reader.document.range(of: field.node)
            )
        }
        files += walk.files
        // A value with `..` may not be filled in.
        if AbsolutePath.withoutClimbs(pattern.base) != pattern.base {
            resolved[pattern.base] = options.resolvedPath(pattern.base)
        }
    }

    /// The files that no pattern excludes, each once, sorted by the bytes of their names.
    private var chosenFiles: [FileRows.File] {
        var chosen = files
        if !exclusions.isEmpty {
            chosen.removeAll { file in
                let path = AbsolutePath.withoutClimbs(file.path)
                return exclusions.contains { $0.matches(path) }
            }
        }
        if wantedPatterns > 1 {
            var known: Set<[UInt8]> = []
            chosen = chosen.filter { known.insert(Array($0.path.utf8)).inserted }
        }
        chosen.sort { $0.relativePath.utf8.lexicographicallyPrecedes($1.relativePath.utf8) }
        guard !resolved.isEmpty else { return chosen }
        return chosen.map { file in
            var file = file
            file.base = resolved[file.base] ?? file.base
            return file
        }
    }

    /// Rejects names that are not UTF-8: neither a URL nor a report could have them as they are.
    private static func checkNames(
        _ files: [FileRows.File],
        _ field: Field,
        _ reader: inout Reader
    ) -> Bool {
        let foreign = files.lazy.filter(\.relativePath.hasForeignBytes)
        guard let first = foreign.first else { return true }
        let count = foreign.count
        let more = count > 1 ? ", and those of \(count - 1) more are not either" : ""
        reader.report(
            .badRow,
            "`\(field.name)`: the name of the file `\(first.relativePath.shownSystemText)` is not "
                + "UTF-8\(more)",
            at: field.node,
            help: "rename it, or leave it out with a pattern that begins with `!`"
        )
        return false
    }

    /// A path for messages: relative to the folder of the job file where it is inside.
    private func shown(_ path: String, _ reader: Reader) -> String {
        guard path.hasBytePrefix(reader.folder) else {
            return path.isEmpty ? "/" : path.shownSystemText
        }
        return String(path.slice(reader.folder.utf8.count..<path.utf8.count)).shownSystemText
    }
}
