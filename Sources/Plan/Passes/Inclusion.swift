package import Diagnostics
package import JobFile
internal import SystemKit
internal import TransferModel

/// A job file and the files that it includes, read before all other passes.
///
/// Their texts become one text, in which a line has one number, and their trees one tree: later
/// passes know of one document. A file is read once, however often it is included.
package struct Inclusion {
    /// The text of all files, the job file first.
    package private(set) var source: SourceText
    /// The problems of all files, with lines of `source`.
    package private(set) var diagnostics: [Diagnostic]
    /// The document of all files; nil when one of them is not readable as YAML.
    package private(set) var document: Document?
    /// Whether a file that the job names is not part of the document.
    private var lacksFile = false

    private let options: PlanOptions
    /// The documents of the files of `source`.
    private var documents: [Document] = []
    private var size: DocumentSize
    /// The files that are being read, by their canonical paths, the job file first.
    private var open: [(path: String, name: String)] = []
    /// The canonical paths of the files that were named so far.
    private var known: Set<String> = []

    /// Included files of a job.
    private static let mostFiles = 100
    /// The longest chain of files that include one another, without the job file.
    private static let deepest = 10

    /// Reads the files that a job file includes, through `options`.
    ///
    /// - Parameters:
    ///   - bytes: The text of the job file.
    ///   - name: The name of the job file, which is relative to the working folder of `options`.
    ///   - options: Looks at files and opens them.
    package init(_ bytes: [UInt8], name: String, options: PlanOptions) {
        let parsed = Document.parse(bytes, name: name)
        // Of a file that is too large the diagnostic shows the start, and nothing reads the rest.
        let isTooLarge = bytes.count > DocumentLimits.bytes
        source = SourceText(name: name, bytes: isTooLarge ? Array(bytes.prefix(4096)) : bytes)
        diagnostics = parsed.diagnostics
        document = parsed.document
        size = parsed.size
        self.options = options
        guard let main = document, main.value(of: main.root, for: "include") != nil else { return }
        documents = [main]
        enter(main, canonical(name), name, linesBefore: 0)
        guard documents.count == source.included.count + 1 else {
            document = nil
            return
        }
        let (joined, roots) = Document.joined(documents, of: source)
        document = joined.rooted(in: merged(roots, joined))
        diagnostics = diagnostics.inFileOrder
    }

    /// The diagnostics of all files and those of the plan, without those that a missing file may
    /// explain, such as an unknown session.
    package func diagnostics(with plan: [Diagnostic]) -> [Diagnostic] {
        diagnostics
            + plan.filter {
                !lacksFile || JobCode(rawValue: $0.code)?.mayBeOfMissingPart != true
            }
    }

    // MARK: - Files

    /// Reads the files that a document includes.
    private mutating func enter(
        _ document: Document,
        _ path: String,
        _ name: String,
        linesBefore: Int
    ) {
        open.append((path, name))
        defer { open.removeLast() }
        guard let node = document.value(of: document.root, for: "include")?.value else { return }
        for item in document.items(of: node) {
            guard diagnostics.count < DocumentLimits.diagnostics else { return }
            do throws(Fault) {
                try include(item, of: document, named: name)
            } catch {
                lacksFile = lacksFile || error.lacksFile
                diagnostics.append(
                    Diagnostic(
                        .error,
                        .badInclude,
                        "`include`: \(error.message)",
                        at: document.range(of: item),
                        help: error.help
                    ).moved(by: linesBefore)
                )
            }
        }
    }

    /// Why an item of `include` leads to no file.
    private struct Fault: Error {
        var message: String
        var help: String?
        /// Whether the file is not part of the job for that reason.
        var lacksFile = true
    }

    /// Reads the file that an item names, and the files that it includes.
    private mutating func include(
        _ item: NodeID,
        of document: Document,
        named outer: String
    ) throws(Fault) {
        let text = try Self.path(item, in: document)
        let folder = AbsolutePath.folder(of: AbsolutePath.make(outer, in: options.workingFolder))
        let path = AbsolutePath.make(text, in: folder)
        let canonical = canonical(path)
        if let first = open.firstIndex(where: { $0.path == canonical }) {
            let chain = (open[first...].map(\.name) + [open[first].name]).map { "`\($0.excerpt)`" }
            throw Fault(
                message: "files include each other: \(chain.joined(separator: " → "))",
                lacksFile: false
            )
        }
        guard known.insert(canonical).inserted else { return }
        guard source.included.count < Self.mostFiles else {
            throw Fault(message: "a job may include at most \(Self.mostFiles) files")
        }
        guard open.count <= Self.deepest else {
            throw Fault(message: "files may include one another at most \(Self.deepest) deep")
        }
        let bytes = try read(path, text)
        let name = name(of: text, beside: outer, canonical)
        let parsed = Document.parse(bytes, name: name, behind: size)
        size = parsed.size
        let place = source.append(bytes, name: name)
        diagnostics += parsed.diagnostics.map { $0.moved(by: place.firstLine - 1) }
        guard let included = parsed.document else { return }
        documents.append(included)
        enter(included, canonical, name, linesBefore: place.firstLine - 1)
    }

    /// The text of an item.
    private static func path(_ item: NodeID, in document: Document) throws(Fault) -> String {
        let text = document.text(of: item)
        guard document.kind(of: item) == .scalar, document.scalar(of: item) != .null, !text.isEmpty
        else { throw Fault(message: "expected the path of a file") }
        guard !document.hasInterpolation(item) else {
            throw Fault(
                message: "a path here has no expressions, because it is read before variables",
                help: "write the path, or give each job file an `include` of its own"
            )
        }
        guard !text.containsBytes("://") else {
            throw Fault(
                message: "`\(text.excerpt)` is a URL, and only files of this machine are included",
                help: "fetch the file before the run"
            )
        }
        guard !text.containsBytes("*") else {
            throw Fault(
                message: "`\(text.excerpt)` is a pattern, and each file is included by its name",
                help: "list the files"
            )
        }
        guard !text.utf8.span.hasControlByte, AbsolutePath.componentTooLong(text) == nil,
            text.utf8.count <= AbsolutePath.longest
        else { throw Fault(message: "`\(text.excerpt)` is no path of a file") }
        return text
    }

    /// The name of an included file for messages: beside the name of the file that includes it,
    /// and without the `..` that lead to the same file.
    private func name(of text: String, beside outer: String, _ canonical: String) -> String {
        let name = DataFiles.shownName(text, beside: outer)
        var parts: [Substring] = []
        for part in name.splitAtBytes("/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        let short = (name.hasBytePrefix("/") ? "/" : "") + parts.joined(separator: "/")
        return self.canonical(short) == canonical ? short : name
    }

    /// The path of the file with that name, without links.
    private func canonical(_ name: String) -> String {
        options.resolvedPath(AbsolutePath.make(name, in: options.workingFolder))
    }

    /// The text of a file, without a byte order mark.
    private func read(_ path: String, _ text: String) throws(Fault) -> [UInt8] {
        let name = text.excerpt
        switch options.fileStatus(path) {
        case .readable: break
        case .missing: throw Fault(message: "there is no file `\(name)`")
        case .unreadable(let reason):
            throw Fault(message: "the file `\(name)` cannot be opened: \(reason)")
        case .pipe, .notRegular: throw Fault(message: "`\(name)` is not a regular file")
        }
        guard let file = options.dataFile(path) else {
            throw Fault(message: "the file `\(name)` cannot be opened")
        }
        guard file.size <= DocumentLimits.bytes - source.bytes.count else {
            throw Fault(
                message: "with `\(name)` the job is longer than \(DocumentLimits.bytes >> 20) MiB",
                help: "read items with `forEach` from a CSV or JSON Lines file"
            )
        }
        guard let bytes = file.content else {
            throw Fault(message: "the file `\(name)` cannot be read, or changes while it is read")
        }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    // MARK: - Keys

    /// The entries of the whole job's root: those of each file, but one of each section.
    private mutating func merged(
        _ roots: [NodeID],
        _ document: Document
    ) -> [(key: NodeID, values: [NodeID])] {
        var entries: [(key: NodeID, values: [NodeID])] = []
        var sections: [String: Int] = [:]
        for (number, root) in roots.enumerated() {
            if number > 0 { check(root, document) }
            for entry in document.entries(of: root) {
                let name = document.text(of: entry.key)
                if let known = sections[name] {
                    entries[known].values.append(entry.value)
                    continue
                }
                if Self.sections.contains(name) { sections[name] = entries.count }
                entries.append((entry.key, [entry.value]))
            }
        }
        for index in sections.values {
            // A section that is no mapping is reported as in a job of one file.
            let odd = entries[index].values.first { document.kind(of: $0) != .mapping }
            if let odd { entries[index].values = [odd] }
            checkNames(entries[index].values, of: entries[index].key, document)
        }
        return entries
    }

    /// The keys whose values are mappings of names: each file may have some of the names.
    private static let sections = Set(
        JobTable.table.keys.keys.filter(\.shape.hasChosenNames).map(\.name)
    )
    /// The other keys of an included file.
    private static let common: Set<String> = ["version", "include"]

    /// Reports keys that only the job file may have, and the absence of a version.
    private mutating func check(_ root: NodeID, _ document: Document) {
        guard document.kind(of: root) == .mapping else {
            diagnostics.append(
                Diagnostic(
                    .error,
                    .wrongType,
                    "an included file is a job file: expected a mapping",
                    at: SourceRange(document.range(of: root).start)
                )
            )
            return
        }
        let entries = Array(document.entries(of: root))
        if !entries.contains(where: { document.hasText($0.key, equalTo: "version") }) {
            diagnostics.append(
                Diagnostic(
                    .error,
                    .missingKey,
                    "the key `version` is required in an included file, too",
                    at: SourceRange(document.range(of: root).start)
                )
            )
        }
        for (key, _) in entries {
            let name = document.text(of: key)
            guard JobTable.table.keys.names.contains(name), !Self.sections.contains(name),
                !Self.common.contains(name)
            else { continue }
            diagnostics.append(
                Diagnostic(
                    .error,
                    .badInclude,
                    "`\(name)` belongs to the job file, not to a file that it includes",
                    at: document.range(of: key)
                )
            )
        }
    }

    /// Reports names that two files have in one section.
    private mutating func checkNames(
        _ values: [NodeID],
        of section: NodeID,
        _ document: Document
    ) {
        guard values.count > 1 else { return }
        var first: [String: (file: Int, key: NodeID)] = [:]
        for (file, value) in values.enumerated() {
            for (key, _) in document.entries(of: value) where !document.isFree(key) {
                let name = document.text(of: key)
                guard let earlier = first[name] else {
                    first[name] = (file, key)
                    continue
                }
                // Within one file that is a fault of the YAML.
                guard earlier.file != file, diagnostics.count < DocumentLimits.diagnostics else {
                    continue
                }
                diagnostics.append(
                    Diagnostic(
                        .error,
                        .duplicateID,
                        "duplicate `\(name.excerpt)` in `\(document.text(of: section))`",
                        at: document.range(of: key),
                        notes: [
                            .init("the first one is here", at: document.range(of: earlier.key))
                        ],
                        help: "no file replaces what another file defines: rename one of them"
                    )
                )
            }
        }
    }
}
