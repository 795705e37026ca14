internal import SystemKit
internal import TransferModel

/// Keeps the tasks of one run from writing one file where servers name files, and off the files that the run needs.
///
/// Made only for a job in which a server names a file: in all others the plan has seen to it. Files are told apart by
/// their folders and names, so that it does not matter which path leads to a folder.
package final class DestinationClaims: Sendable {
    private struct Place: Hashable {
        var folder: Folder.Identity
        var name: ByteText

        /// The place of a path; its folder is made when `create` is set.
        init(_ destination: TaskSpec.Destination, create: Bool) throws(SystemError) {
            let (path, name) = destination.split
            folder = try Folder(path: path, create: create).identity
            self.name = ByteText(name)
        }
    }

    private static let nobody = -1
    /// The task that each file belongs to.
    private let owners: Lock<[Place: Int]>

    /// `reserved` are absolute paths that belong to no task: the job file, the report.
    package init(reserved: [String]) {
        var owners: [Place: Int] = [:]
        for path in reserved {
            let destination = TaskSpec.Destination(path: path, displayPath: path)
            // In a folder that is not there yet nothing has to be kept from being replaced.
            guard let place = try? Place(destination, create: false) else { continue }
            owners[place] = Self.nobody
        }
        self.owners = Lock(owners)
    }

    /// Gives the file to the task unless another one has it; later attempts of the same task find it theirs.
    ///
    /// The folder is made if it is missing. Throws what the file system says.
    func claim(_ file: TaskSpec.Destination, for task: Int) throws(SystemError) -> Bool {
        let place = try Place(file, create: true)
        return owners.withLock { owners in
            if let owner = owners[place] { return owner == task }
            owners[place] = task
            return true
        }
    }
}
