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
