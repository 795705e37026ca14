/// A system call that the kernel refuses to a command, as file systems, sandboxes and old kernels
/// do.
package enum RefusedCall: String, Sendable, CaseIterable {
    /// Binding a socket to the name of an interface.
    case bindToName = "bind-to-name"
    /// Binding a socket to the index of an interface.
    case bindToIndex = "bind-to-index"
    /// Files without a name (`O_TMPFILE`).
    case unnamedFiles = "unnamed-files"
    /// Renames that do not replace or that exchange (renameat2(2)).
    case renameFlags = "rename-flags"
    /// A second name of a file.
    case links
    /// flock(2).
    case locks

    /// The calls that NFS, 9p, Ceph and Gluster refuse.
    package static let ofNFS: [RefusedCall] = [.unnamedFiles, .renameFlags]
    /// The calls that many FUSE mounts refuse.
    package static let ofFUSE: [RefusedCall] = ofNFS + [.links]
}

extension Command {
    /// The command without some calls, which fail with an error such as `EINVAL`.
    package func refusing(_ calls: [RefusedCall], with error: String) -> Command {
        var result = self
        result.executable = "python3"
        result.arguments =
            [
                ServerScript.path("refuse-calls.py"), error,
                calls.map(\.rawValue).joined(separator: ","), executable,
            ] + arguments
        return result
    }
}
