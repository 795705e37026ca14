internal import Glibc

/// Standard error of a run: a stalled reader does not stop the run.
///
/// A message that cannot be written within a second is dropped. So are all later ones until there
/// is room again; a line then reports their number. For one thread.
package final class StatusStream {
    /// The bytes that a pipe takes without waiting once it is writable (pipe(7)).
    private static let pieceSize = 4096

    private let descriptor: Int32
    private let patienceMilliseconds: Int32
    /// How many messages were dropped since the last written one.
    private var dropped = 0

    /// The stream of a descriptor, with the time to wait for a reader before dropping messages.
    package init(descriptor: Int32 = STDERR_FILENO, patienceMilliseconds: Int32 = 1000) {
        self.descriptor = descriptor
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Writes a message or drops its rest; a lost reader does not affect transfers.
    ///
    /// The message must be whole: the filter of `StandardError` sees it before any part is dropped.
    package func write(_ bytes: [UInt8]) {
        let bytes = StandardError.filtered(bytes)
        guard dropped > 0 else {
            if !append(bytes) { dropped = 1 }
            return
        }
        // The last message may have been cut within a line.
        let note =
            "\nrunner: \(dropped) messages were dropped, because standard error was not read\n"
        if hasRoom(milliseconds: 0), append(Array(note.utf8) + bytes) {
            dropped = 0
        } else {
            dropped += 1
        }
    }

    /// Writes all bytes; false when no reader made room.
    private func append(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard hasRoom(milliseconds: patienceMilliseconds) else { return false }
            let count = unsafe rest.prefix(Self.pieceSize).withUnsafeBytes { piece in
                unsafe Glibc.write(descriptor, piece.baseAddress, piece.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                return true
            }
        }
        return true
    }

    /// Waits until writing is possible or would fail at once.
    private func hasRoom(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }
}
