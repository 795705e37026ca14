import Glibc

/// A folder on its own file system with a quota; removed when released.
///
/// The file system is a btrfs in a file, whose quotas need no further kernel modules. Mounting it
/// needs root, or a `sudo` without a password.
package final class QuotaFolder: Sendable {
    /// Its path.
    package let path: String
    private let folder: TemporaryFolder

    /// Mounts the file system.
    ///
    /// - Parameters:
    ///   - path: An existing folder to mount it at.
    ///   - limit: The quota, as `4M`.
    /// - Throws: `MissingTool` when that fails.
    package init(at path: String, limit: String) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.path = path
        try Self.run(
            """
            truncate -s 128M "$1/image"
            mkfs.btrfs -q --mixed "$1/image"
            mkdir "$1/whole"
            mount -o loop "$1/image" "$1/whole"
            trap 'umount "$1/whole"' EXIT
            btrfs quota enable "$1/whole"
            btrfs subvolume create "$1/whole/part"
            btrfs qgroup limit \(limit) "$1/whole/part"
            btrfs quota rescan -w "$1/whole"
            chown \(geteuid()) "$1/whole/part"
            mount --bind "$1/whole/part" "$2"
            """,
            folder.path,
            path
        )
    }

    deinit { try? Self.run("umount \"$1\"", path) }

    /// Removes the limit.
    package func lift() throws {
        try Self.run("btrfs qgroup limit none \"$1\"", path)
    }

    private static func run(_ script: String, _ arguments: String...) throws {
        let shell = ["sh", "-ec", "PATH=$PATH:/usr/sbin\n\(script)", "sh"] + arguments
        let command = geteuid() == 0 ? shell : ["sudo", "-n"] + shell
        let outcome = try Command(command[0], Array(command.dropFirst())).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool("btrfs (package btrfs-progs), mounted", outcome.standardError)
        }
    }
}
