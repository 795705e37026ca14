internal import Glibc

/// Standard error as a run writes to it: a reader that has stopped reading does not stop the run.
///
/// What finds no room for a second is dropped, and so is all that follows until there is room
/// again; a line then says how much is missing. For one thread.
package final class StatusStream {
    /// What a pipe takes without waiting, once it has said that there is room (pipe(7)).
    private static let pieceSize = 4096

    private let descriptor: Int32
    private let patienceMilliseconds: Int32
    /// How many messages have been dropped since the last one that was written.
    private var dropped = 0

    /// The stream of that descriptor, which waits so long for a reader before it drops anything.
    package init(descriptor: Int32 = STDERR_FILENO, patienceMilliseconds: Int32 = 1000) {
        self.descriptor = descriptor
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Writes a message, or drops what is left of it; a reader that has gone is no concern of a
    /// transfer.
    ///
    /// A message is whole: what `StandardError` passes all text through sees it before a part of it
    /// is dropped.
    package func write(_ bytes: [UInt8]) {
        let bytes = StandardError.filtered(bytes)
        guard dropped > 0 else {
            if !append(bytes) { dropped = 1 }
            return
        }
        // The last message that was begun may have ended within a line.
        let note = "\nrunner: \(dropped) messages were dropped, because nobody read them\n"
        if hasRoom(milliseconds: 0), append(Array(note.utf8) + bytes) {
            dropped = 0
        } else {
            dropped += 1
        }
    }

    /// Writes all of it; false when nobody made room for it.
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

    /// Waits until something can be written, or the writing would fail at once.
    private func hasRoom(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }
}
