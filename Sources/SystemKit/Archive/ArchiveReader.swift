internal import CArchive
internal import Glibc

/// Reads an archive by libarchive: tar, plain or by gzip, bzip2, xz or zstd, and zip.
///
/// One thread at a time uses it.
@safe package final class ArchiveReader {
    /// The library's name, for messages.
    package static let library = "libarchive.so.13"

    /// Whether the library can be loaded.
    package static var isAvailable: Bool { carchive_is_available() != 0 }

    private let reader: OpaquePointer
    /// Which must stay open.
    private let descriptor: Int32

    /// Opens the archive in a regular file; moves the file's offset.
    init(_ descriptor: Int32) throws(ArchiveFault) {
        guard let reader = unsafe carchive_open(descriptor) else { throw .noLibrary }
        unsafe self.reader = reader
        self.descriptor = descriptor
    }

    deinit { unsafe carchive_close(reader) }

    /// Goes to the next entry; nil at the end.
    func next() throws(ArchiveFault) -> ArchiveEntry? {
        var entry = unsafe carchive_entry()
        switch unsafe carchive_next(reader, &entry) {
        case 0: return nil
        case 1: break
        default: throw fault
        }
        let kind: ArchiveEntry.Kind =
            switch unsafe entry.kind {
            case carchive_file: .file
            case carchive_folder: .folder
            case carchive_symbolic_link: .symbolicLink
            case carchive_hard_link: .hardLink
            default: .special
            }
        var result = unsafe ArchiveEntry(
            Self.bytes(entry.name),
            kind,
            target: Self.bytes(entry.target),
            mode: UInt16(truncatingIfNeeded: entry.mode & 0o7777)
        )
        if unsafe entry.has_time != 0 {
            result.time = unsafe .init(seconds: entry.seconds, nanoseconds: entry.nanoseconds)
        }
        result.isInexact = unsafe entry.is_inexact != 0
        return result
    }

    /// Reads the next bytes of the entry; returns their count, 0 at the end.
    func read(into buffer: inout [UInt8]) throws(ArchiveFault) -> Int {
        let reader = unsafe reader
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe carchive_read(reader, bytes.baseAddress, bytes.count)
        }
        guard count >= 0 else { throw fault }
        return Int(count)
    }

    private var fault: ArchiveFault {
        unsafe .unreadable(String(cString: carchive_fault(reader)))
    }

    private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
        guard let text = unsafe text else { return nil }
        return unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map(
            UInt8.init(bitPattern:)
        )
    }
}

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
    package init(_ name: [UInt8]?, _ kind: Kind, target: [UInt8]? = nil, mode: UInt16 = 0o644) {
        self.name = name
        self.kind = kind
        self.target = target
        self.mode = mode
    }
}

/// Why an archive was not extracted.
package enum ArchiveFault: Error, Sendable, Hashable {
    /// The library cannot be loaded.
    case noLibrary
    /// The archive is damaged, encrypted, or of another format; the library's words.
    case unreadable(String)
    /// An entry must not be extracted, for the reason in words.
    case refused(String)
    /// The archive exceeds a limit, which the words name.
    case tooLarge(String)
    /// A folder exists that must not be replaced, or a file that is no folder.
    case occupied(SystemError)
    /// The file system's error.
    case system(SystemError)
}
