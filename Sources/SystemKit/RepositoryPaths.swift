/// Paths as the repository has them, for services that show remarks at lines of its files.
package struct RepositoryPaths: Sendable {
    /// The root that a CI service names; nil without one.
    private let root: String?
    /// nil if it is unknown.
    private let workingFolder: String?

    /// Reads the root from the environment of GitHub Actions or GitLab.
    package init(environment: [String: String], workingFolder: String?) {
        root = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].lazy.compactMap { environment[$0] }.first {
            $0.hasBytePrefix("/")
        }.map(Self.plain)
        self.workingFolder = workingFolder
    }

    /// The path of a file from the root of its repository, without `..`; the same path for a file
    /// outside of it.
    ///
    /// The root is that of the environment, else the nearest folder above the file with `.git`,
    /// else the working folder. Symbolic links are not followed.
    package func path(of file: String) -> String {
        let folder = file.hasBytePrefix("/") ? "" : workingFolder
        guard let folder else { return file }
        let path = Self.plain("\(folder)/\(file)")
        let root = root ?? Self.root(above: path) ?? workingFolder.map(Self.plain)
        return root.flatMap { path.withoutBytePrefix("\($0)/") }.map(String.init) ?? file
    }

    /// An absolute path without `.`, `..` and repeated slashes; empty for `/`.
    private static func plain(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.splitAtBytes("/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.map { "/\($0)" }.joined()
    }

    private static func root(above path: String) -> String? {
        var folder = path[...]
        while let parent = folder.cut(atLast: "/")?.before {
            if PathOccupant(at: "\(parent)/.git") != .nothing { return String(parent) }
            folder = parent
        }
        return nil
    }
}
