internal import SystemKit
package import TransferModel

/// Prevents the tasks of a run from writing the same file where servers name files, and from
/// overwriting files that the run needs.
///
/// Used only for jobs in which a server, or a captured value, names a file; otherwise the plan
/// excludes conflicts. The job's own paths are reserved before the first task starts, so that they
/// take precedence. Files are identified by folder and name, whatever path leads to the folder.
package final class DestinationClaims: Sendable {
    /// The owner of a file.
    enum Owner: Sendable, Hashable {
        case task(Int)
        case run
    }

    private struct Place: Hashable {
        /// The canonical path.
        var folder: ByteText
        var name: ByteText

        init(_ folder: some StringProtocol, _ name: some StringProtocol) {
            self.folder = ByteText(String(folder))
            self.name = ByteText(String(name))
        }
    }

    private struct State {
        var owners: [Place: Owner] = [:]
        /// The last requested path and its canonical folder, which usually applies to the next file
        /// too.
        var last = (path: "", folder: "")
        /// The last folder whose parents were reserved.
        var lastWay: String?

        mutating func folder(at path: String) -> String {
            if !path.hasSameBytes(as: last.path) { last = (path, Folder.canonicalPath(path)) }
            return last.folder
        }

        /// The place of a file, and that of its archive's folder if a peer names the folder.
        mutating func places(of file: TaskSpec.Destination) -> [Place] {
            let (path, name) = file.split
            var places = [Place(folder(at: path), name)]
            if let archive = file.archiveFolder, archive.isNamedByPeer,
                let (path, name) = archive.path.cut(atLast: "/")
            {
                places.append(Place(folder(at: String(path)), name))
            }
            return places
        }
    }

    /// MAXSYMLINKS of Linux.
    private static let mostLinks = 40
    /// The folders in which servers name files; nil if any folder is possible.
    private let folders: Set<ByteText>?
    private let state = Lock(State())
    private let name: @Sendable (Int) -> String

    /// - Parameters:
    ///   - folders: Absolute paths of the folders in which servers name files; nil means all.
    ///   - name: The name of a task in messages.
    package init(
        folders: Set<String>?,
        name: @escaping @Sendable (Int) -> String
    ) {
        self.folders = folders.map { Set($0.map { ByteText(Folder.canonicalPath($0)) }) }
        self.name = name
    }

    /// Reserves a path for its task or the run, and prevents its parent folders from becoming
    /// files, or folders of an archive.
    ///
    /// Only paths in folders where servers name files are reserved. The first reservation wins.
    package func reserve(_ planned: PlannedPath) {
        switch planned.use {
        case .destination(of: let task): reserve(planned.path, for: .task(task))
        case .ofTheRun:
            var path = planned.path
            reserve(path, for: .run)
            // A file that a link leads to is the run's own as well.
            for _ in 0..<Self.mostLinks {
                guard let target = SymbolicLink.target(of: path) else { break }
                let folder = path.cut(atLast: "/")?.before ?? ""
                path = target.hasBytePrefix("/") ? target : "\(folder)/\(target)"
                reserve(path, for: .run)
            }
        }
    }

    private func reserve(_ path: String, for owner: Owner) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = path[slash...].dropFirst()
        state.withLock { state in
            let folder = state.folder(at: String(path[..<slash]))
            if !name.isEmpty { reserve(folder, name, for: owner, &state) }
            guard state.lastWay?.hasSameBytes(as: folder) != true else { return }
            state.lastWay = folder
            var way = folder[...]
            while let slash = way.utf8.lastIndex(of: UInt8(ascii: "/")) {
                reserve(way[..<slash], way[slash...].dropFirst(), for: .run, &state)
                way = way[..<slash]
            }
        }
    }

    private func reserve(
        _ folder: some StringProtocol,
        _ name: Substring,
        for owner: Owner,
        _ state: inout State
    ) {
        let place = Place(folder, name)
        guard folders?.contains(place.folder) ?? true, state.owners[place] == nil else { return }
        state.owners[place] = owner
    }

    /// Assigns the file, and the folder of its archive, to the task unless one of them has another
    /// owner; later attempts of the task keep them.
    ///
    /// Creates a missing folder, unless only the server's answer matters. Returns the other owner,
    /// in words; throws the file system's error. A task that may not write the file leaves it to
    /// other tasks.
    func claim(
        _ file: TaskSpec.Destination,
        for task: Int,
        mayWrite: Bool = true
    ) throws(SystemError) -> String? {
        if !file.isAsked { _ = try Folder(path: file.folder, create: true) }
        let other = state.withLock { state -> Owner? in
            let places = state.places(of: file)
            let owners = places.compactMap { state.owners[$0] }
            if let other = owners.first(where: { $0 != .task(task) }) { return other }
            for place in places { state.owners[place] = mayWrite ? .task(task) : nil }
            return nil
        }
        return switch other {
        case nil: nil
        case .task(let other): "the task \(TextExcerpt.of(name(other)))"
        case .run: "the run itself"
        }
    }
}
