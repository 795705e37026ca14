/// Decides the step for each entry of an archive, so that nothing leaves the folder.
///
/// A value without I/O. Its argument for links: links are made when all files are there, so no file
/// is written through one, and the folder of a link is a real one. A target may climb only at its
/// front and not above the folder. So its climbs end in a real folder of the tree, and its other
/// parts lead down, over links with the same property.
package struct ArchiveTree: Sendable {
    /// The step for an entry.
    package struct Step: Sendable, Hashable {
        /// The effect of an entry.
        package enum Action: Sendable, Hashable {
            case nothing
            case makeFolder
            case writeFile
            /// Gives an extracted file, by its path, a second name.
            case linkFile([String])
            /// Makes a symbolic link with that target after all other steps.
            case linkLast(String)
        }

        /// The effect.
        package var action: Action
        /// The parts of the path in the folder; empty for nothing.
        package var path: [String] = []
        /// How many folders at the front of the path exist; the others must be made.
        package var knownFolders = 0
    }

    private enum Node {
        case folder
        case file
        case link

        var words: String {
            switch self {
            case .folder: "a folder"
            case .file: "a file"
            case .link: "a link"
            }
        }
    }

    /// The most folders on the way to a file.
    package static let deepest = 128
    /// The most bytes of a file name.
    private static let longestName = 255

    /// The entries so far.
    package private(set) var count = 0
    private var nodes: [ByteText: Node] = [:]
    private let stripComponents: Int
    private let longestPath: Int
    private let mostEntries: Int

    /// Begins with an empty folder.
    ///
    /// - Parameters:
    ///   - stripComponents: How many parts to remove from the front of each name.
    ///   - mostEntries: The most entries.
    ///   - longestPath: The most bytes of a path in the folder.
    package init(stripComponents: Int, mostEntries: Int, longestPath: Int) {
        self.stripComponents = stripComponents
        self.mostEntries = mostEntries
        self.longestPath = longestPath
    }

    /// Takes the next entry.
    ///
    /// - Throws: Why it must not be extracted.
    package mutating func add(_ entry: ArchiveEntry) throws(ArchiveFault) -> Step {
        count += 1
        guard count <= mostEntries else {
            throw .tooLarge("it has more than \(mostEntries) entries (`maximumEntries`)")
        }
        let parts = try parts(of: entry.name, entry, "name")
        if parts.isEmpty {
            guard entry.kind == .folder else { throw refusal(entry, "it names the folder itself") }
            return Step(action: .nothing)
        }
        let path = Array(parts.dropFirst(stripComponents))
        if path.isEmpty { return Step(action: .nothing) }
        let known = try enter(path, entry)
        let key = ByteText(path.joined(separator: "/"))
        if let node = nodes[key] {
            guard node == .folder, entry.kind == .folder else {
                throw refusal(entry, "the archive has \(node.words) of that path already")
            }
            return Step(action: .nothing)
        }
        var step = Step(action: .nothing, path: path, knownFolders: known)
        switch entry.kind {
        case .folder: (step.action, nodes[key]) = (.makeFolder, .folder)
        case .file: (step.action, nodes[key]) = (.writeFile, .file)
        case .symbolicLink:
            step.action = .linkLast(try symbolicTarget(of: entry, folders: path.count - 1))
            nodes[key] = .link
        case .hardLink:
            step.action = .linkFile(try hardTarget(of: entry))
            nodes[key] = .file
        case .special: throw refusal(entry, "it is a device, a pipe or a socket")
        }
        return step
    }

    /// Notes the folders on the way to a path; returns how many of them exist.
    private mutating func enter(
        _ path: [String],
        _ entry: ArchiveEntry
    ) throws(ArchiveFault) -> Int {
        var known = 0
        var way = ""
        for (index, part) in path.dropLast().enumerated() {
            way += (index == 0 ? "" : "/") + part
            switch nodes[ByteText(way)] {
            case .folder: known += 1
            case nil: nodes[ByteText(way)] = .folder
            case let node?:
                throw refusal(entry, "its path goes through \(node.words) of the archive")
            }
        }
        return known
    }

    /// The parts of a path in the archive, without empty ones and `.`.
    private func parts(
        of bytes: [UInt8]?,
        _ entry: ArchiveEntry,
        _ noun: String
    ) throws(ArchiveFault) -> [String] {
        let text = try text(of: bytes, entry, noun)
        if text.hasBytePrefix("/") { throw refusal(entry, "its \(noun) is an absolute path") }
        let parts = text.splitAtBytes("/").filter { !$0.isEmpty && $0 != "." }.map { String($0) }
        if parts.contains("..") { throw refusal(entry, "its \(noun) has `..`") }
        guard parts.count <= Self.deepest else {
            throw refusal(entry, "its \(noun) has more than \(Self.deepest) parts")
        }
        guard text.utf8.count <= longestPath else {
            throw refusal(entry, "its \(noun) is longer than \(longestPath) bytes")
        }
        guard parts.allSatisfy({ $0.utf8.count <= Self.longestName }) else {
            throw refusal(entry, "a part of its \(noun) is longer than \(Self.longestName) bytes")
        }
        return parts
    }

    /// The text of a name or a target.
    private func text(
        of bytes: [UInt8]?,
        _ entry: ArchiveEntry,
        _ noun: String
    ) throws(ArchiveFault) -> String {
        guard let bytes, let text = String(validating: bytes, as: UTF8.self), !text.hasForeignBytes,
            !entry.isInexact
                || !text.unicodeScalars.contains(where: { "?\u{FFFD}".unicodeScalars.contains($0) })
        else { throw refusal(entry, "its \(noun) is not UTF-8") }
        if text.isEmpty { throw refusal(entry, "its \(noun) is empty") }
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control
        }
        if text.unicodeScalars.contains(where: isControl) {
            throw refusal(entry, "its \(noun) has a control character")
        }
        return text
    }

    /// The path of the file that a hard link names.
    private func hardTarget(of entry: ArchiveEntry) throws(ArchiveFault) -> [String] {
        let parts = try parts(of: entry.target, entry, "target")
        let path = Array(parts.dropFirst(stripComponents))
        guard nodes[ByteText(path.joined(separator: "/"))] == .file else {
            throw refusal(entry, "its target is no earlier file of the archive")
        }
        return path
    }

    /// The target of a symbolic link below that many folders.
    private func symbolicTarget(
        of entry: ArchiveEntry,
        folders: Int
    ) throws(ArchiveFault) -> String {
        let text = try text(of: entry.target, entry, "target")
        if text.hasBytePrefix("/") { throw refusal(entry, "its target is an absolute path") }
        let parts = text.splitAtBytes("/").filter { !$0.isEmpty && $0 != "." }
        let climbs = parts.prefix { $0 == ".." }.count
        if climbs > folders { throw refusal(entry, "its target leads out of the folder") }
        if parts.dropFirst(climbs).contains("..") {
            throw refusal(entry, "its target has `..` after a name")
        }
        guard text.utf8.count <= longestPath else {
            throw refusal(entry, "its target is longer than \(longestPath) bytes")
        }
        return text
    }

    private func refusal(_ entry: ArchiveEntry, _ reason: String) -> ArchiveFault {
        .refused("entry \(count), `\(Self.shown(entry.name))`: \(reason)")
    }

    /// A name for messages: short, and without control characters.
    private static func shown(_ name: [UInt8]?) -> String {
        let text = String(decoding: name ?? [], as: UTF8.self)
        let scalars = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? Unicode.Scalar("\u{FFFD}") : scalar
        }
        guard scalars.count > 80 else { return String(String.UnicodeScalarView(scalars)) }
        return String(String.UnicodeScalarView(scalars.prefix(80))) + "…"
    }
}
