/// Paths as the repository has them, for services that show remarks at lines of its files.
///
/// Not `Sendable`: one thread uses it.
package final class RepositoryPaths {
    /// The root that a CI service names; nil without one.
    private let root: String?
    /// nil if it is unknown.
    private let workingFolder: String?
    /// The nearest folder with `.git` at or above each folder asked for; nil without one.
    private var repositories: [ByteText: String?] = [:]

    /// Reads the root from the environment of GitHub Actions or GitLab.
    package init(environment: [String: String], workingFolder: String?) {
        root = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].lazy.compactMap { environment[$0] }.first {
            $0.hasBytePrefix("/")
        }.map { Self.plain($0, in: "") }
        self.workingFolder = workingFolder
    }

    /// The path of a file from the root of its repository, without `..`; the same path for a file
    /// outside of it.
    ///
    /// The root is that of the environment, else the nearest folder above the file with `.git`,
    /// else the working folder. Symbolic links are not followed. The disk is asked once for each
    /// folder.
    package func path(of file: String) -> String {
        guard let folder = file.hasBytePrefix("/") ? "" : workingFolder else { return file }
        let path = Self.plain(file, in: folder)
        guard let root = root ?? repository(above: path) ?? workingFolder else { return file }
        let rest = path.withoutBytePrefix("\(root.withoutByteSuffix("/") ?? root[...])/")
        return rest.map(String.init) ?? file
    }

    private static func plain(_ path: String, in folder: String) -> String {
        AbsolutePath.withoutClimbs(AbsolutePath.make(path, in: folder))
    }

    private func repository(above path: String) -> String? {
        guard let folder = path.cut(atLast: "/").map({ String($0.before) }) else { return nil }
        if let known = repositories[ByteText(folder)] { return known }
        let hasGit = PathOccupant(at: "\(folder)/.git") != .nothing
        let found = hasGit ? folder : repository(above: folder)
        repositories[ByteText(folder)] = found
        return found
    }
}
