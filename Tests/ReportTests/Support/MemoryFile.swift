import Report
import SystemKit

/// A file in memory that a test can make fail.
final class MemoryFile: ReportFile {
    private(set) var bytes: [UInt8] = []
    private(set) var isPublished = false
    private let capacity: Int
    private let publishFailure: SystemError?

    init(capacity: Int = .max, publishFailure: SystemError? = nil) {
        self.capacity = capacity
        self.publishFailure = publishFailure
    }

    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        guard self.bytes.count + bytes.count <= capacity else { throw .diskFull("memory") }
        for index in bytes.indices { self.bytes.append(bytes[index]) }
    }

    func rewriteFront(_ bytes: Span<UInt8>) throws(SystemError) {
        for index in bytes.indices { self.bytes[index] = bytes[index] }
    }

    func publish() throws(SystemError) {
        if let publishFailure { throw publishFailure }
        isPublished = true
    }
}
