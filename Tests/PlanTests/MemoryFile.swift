import Plan
import Synchronization

/// A data file as a test has it.
final class MemoryFile: DataFile {
    private let bytes: [UInt8]
    /// How many more times the file looks unchanged; nil for always.
    private let checksLeft = Mutex<Int?>(nil)
    /// How often it was read, and how many bytes at most at once.
    private let reads = Mutex((count: 0, largest: 0))

    init(_ text: String) { bytes = Array(text.utf8) }
    init(bytes: [UInt8]) { self.bytes = bytes }

    var size: Int64 { Int64(bytes.count) }
    var isUnchanged: Bool {
        checksLeft.withLock { left in
            guard let count = left else { return true }
            left = max(0, count - 1)
            return count > 0
        }
    }
    var largestRead: Int { reads.withLock { $0.largest } }

    /// Makes the file look changed, after it has looked unchanged for some checks.
    func change(afterChecks count: Int = 0) { checksLeft.withLock { $0 = count } }

    func read(at offset: Int64, count: Int) -> [UInt8]? {
        reads.withLock { $0 = ($0.count + 1, max($0.largest, count)) }
        return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}
