import Plan
import Synchronization

/// A data file as a test has it.
final class MemoryFile: DataFile {
    private let bytes: [UInt8]
    private let isChanged = Mutex(false)
    /// How often it was read, and how many bytes at most at once.
    private let reads = Mutex((count: 0, largest: 0))

    init(_ text: String) { bytes = Array(text.utf8) }
    init(bytes: [UInt8]) { self.bytes = bytes }

    var size: Int64 { Int64(bytes.count) }
    var isUnchanged: Bool { isChanged.withLock { !$0 } }
    var largestRead: Int { reads.withLock { $0.largest } }

    /// Makes the file look changed.
    func change() { isChanged.withLock { $0 = true } }

    func read(at offset: Int64, count: Int) -> [UInt8]? {
        reads.withLock { $0 = ($0.count + 1, max($0.largest, count)) }
        return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}
