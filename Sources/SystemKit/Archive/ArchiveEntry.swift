/// An entry of an archive as the archive has it, before any check.
package struct ArchiveEntry: Sendable, Hashable {
    /// The kind of an entry.
    package enum Kind: Sendable, Hashable {
        case file
        case folder
        case symbolicLink
        case hardLink
        /// A device, a pipe or a socket.
        case special
    }

    /// When the content of a file changed, since 1970.
    package struct Time: Sendable, Hashable {
        /// The whole seconds.
        package var seconds: Int64
        /// The rest, from 0 to 999,999,999.
        package var nanoseconds: Int64

        /// Creates a time.
        package init(seconds: Int64, nanoseconds: Int64 = 0) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    /// The bytes of the path; nil when they have no form in UTF-8.
    package var name: [UInt8]?
    /// The kind of the entry.
    package var kind: Kind
    /// The bytes of a link's target; nil for other entries.
    package var target: [UInt8]?
    /// The permission bits, with setuid, setgid and sticky.
    package var mode: UInt16
    /// When the content of a file changed; nil when the archive does not say.
    package var time: Time?
    /// Whether characters of the name or the target may have been replaced by `?` or U+FFFD.
    package var isInexact = false

    /// Creates an entry; `name` and `target` are paths within the archive.
    package init(
        _ name: [UInt8]?,
        _ kind: Kind,
        target: [UInt8]? = nil,
        mode: UInt16 = 0o644
    ) {
        self.name = name
        self.kind = kind
        self.target = target
        self.mode = mode
    }
}
