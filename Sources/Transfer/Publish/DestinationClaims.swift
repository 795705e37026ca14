internal import SystemKit
package import TransferModel

/// Keeps the tasks of one run from writing one file where servers name files, and off the files
/// that the run needs.
///
/// Made only for a job in which a server names a file: in all others the plan has seen to it. What
/// the job itself names is reserved before the first task starts, so that no server is faster.
/// Files are told apart by their folders and names, so that it does not matter which path leads to
/// a folder.
package final class DestinationClaims: Sendable {
    /// Whom a file belongs to.
    enum Owner: Sendable, Hashable {
        case task(Int)
        case run
    }

    private struct Place: Hashable {
        /// Without links and climbs.
        var folder: ByteText
        var name: ByteText

        init(_ folder: some StringProtocol, _ name: some StringProtocol) {
            self.folder = ByteText(String(folder))
            self.name = ByteText(String(name))
        }
    }

    private struct State {
        var owners: [Place: Owner] = [:]
        /// The last folder that was asked for, and what it is: most often also that of the next
        /// file.
        var last = (path: "", folder: "")
        /// The last folder whose way was reserved.
        var lastWay: String?

        mutating func folder(at path: String) -> String {
            if !path.hasSameBytes(as: last.path) { last = (path, Folder.canonicalPath(path)) }
            return last.folder
        }
    }

    /// Where servers name files; nil when that is not known yet and may be anywhere.
    private let folders: Set<ByteText>?
    private let state = Lock(State())
    private let name: @Sendable (Int) -> String

    /// - Parameters:
    ///   - folders: Absolute paths of the folders in which servers name files; nil stands for all.
    ///   - name: Names a task, for messages.
    package init(folders: Set<String>?, name: @escaping @Sendable (Int) -> String) {
        self.folders = folders.map { Set($0.map { ByteText(Folder.canonicalPath($0)) }) }
        self.name = name
    }

    /// Keeps a path for its task or for the run, and the folders on the way to a destination from
    /// becoming files.
    ///
    /// Only what stands in a folder in which servers name files is kept. Who comes first keeps it.
    package func reserve(_ planned: PlannedPath) {
        let slash = planned.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? planned.path.startIndex
        let name = planned.path[slash...].dropFirst()
        state.withLock { state in
            let folder = state.folder(at: String(planned.path[..<slash]))
            switch planned.use {
            case .destination(of: let task):
                if !name.isEmpty { reserve(folder, name, for: .task(task), &state) }
            case .ofTheRun:
                return reserve(folder, name, for: .run, &state)
            }
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

    /// Gives the file to the task unless another one has it; later attempts of the same task find
    /// it theirs.
    ///
    /// The folder is made if it is missing. Returns whom the file belongs to instead, in words;
    /// throws what the file system says.
    func claim(_ file: TaskSpec.Destination, for task: Int) throws(SystemError) -> String? {
        let (path, fileName) = file.split
        _ = try Folder(path: path, create: true)
        let owner = state.withLock { state in
            let place = Place(state.folder(at: path), fileName)
            let owner = state.owners[place] ?? .task(task)
            state.owners[place] = owner
            return owner
        }
        return switch owner {
        case .task(task): nil
        case .task(let other): "the task \(TextExcerpt.of(name(other)))"
        case .run: "the run itself"
        }
    }
}
