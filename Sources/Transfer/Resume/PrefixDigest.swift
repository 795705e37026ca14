internal import CurlKit
internal import SystemKit

/// The SHA-256 of a file's beginning, which grows with the file; and whether it was what a record says.
struct PrefixDigest: ~Copyable {
    private let digest = MessageDigest()
    private(set) var length: Int64 = 0
    /// What must come out on the way; nil when there is nothing to compare or it was compared.
    private var expected: PartialRecord.Checkpoint?
    /// Whether the beginning was not what the record says.
    private(set) var isCorrupt = false

    init(expecting checkpoint: PartialRecord.Checkpoint?) {
        expected = checkpoint
    }

    /// Whether the beginning still has to be compared with the record.
    var isUnverified: Bool { expected != nil }

    /// Reads on to a length, and compares on the way.
    ///
    /// - Parameters:
    ///   - end: The length.
    ///   - file: The file.
    ///   - isWorthwhile: Asked from time to time while a beginning is compared, which may be large.
    /// - Returns: The digest of that many bytes; nil when the file is shorter, its beginning is not what the record says or
    ///   was not worth to be compared, or libcrypto is not there.
    /// - Throws: What pread(2) says.
    mutating func extend(
        to end: Int64,
        of file: OutputFile,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) throws(SystemError) -> String? {
        guard let digest else { return nil }
        if let checkpoint = expected, checkpoint.length <= end {
            guard try read(to: checkpoint.length, of: file, into: digest, while: isWorthwhile)
            else {
                return nil
            }
            expected = nil
            if digest.current != checkpoint.digest { isCorrupt = true }
        }
        if isCorrupt { return nil }
        guard try read(to: end, of: file, into: digest) else { return nil }
        return digest.current
    }

    /// False when the file ends before, or the work is given up.
    private mutating func read(
        to end: Int64,
        of file: OutputFile,
        into digest: MessageDigest,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) throws(SystemError) -> Bool {
        guard length < end else { return length == end }
        var buffer = [UInt8](repeating: 0, count: Int(clamping: min(end - length, 1 << 20)))
        while length < end {
            guard isWorthwhile() else { return false }
            let count = min(try file.read(into: &buffer, at: length), Int(clamping: end - length))
            if count == 0 { return false }
            digest.update(buffer.span.extracting(first: count))
            length += Int64(count)
        }
        return true
    }
}
