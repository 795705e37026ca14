import SystemKit

/// A file in memory that a test can make fail.
final class MemoryFile: PublishableFile {
    private(set) var bytes: [UInt8] = []
    private(set) var isPublished = false
    private let capacity: Int
    private let publishCode: Int32

    init(capacity: Int = .max, publishCode: Int32 = 0) {
        self.capacity = capacity
        self.publishCode = publishCode
    }

    func write(_ bytes: Span<UInt8>) throws(FileFailure) {
        guard self.bytes.count + bytes.count <= capacity else {
            // ENOSPC
            throw FileFailure(operation: "write", path: "memory", code: 28)
        }
        for index in bytes.indices { self.bytes.append(bytes[index]) }
    }

    func publish() throws(FileFailure) {
        guard publishCode == 0 else {
            throw FileFailure(operation: "publish", path: "memory", code: publishCode)
        }
        isPublished = true
    }
}
