internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The carrier of a conversation's bytes: a connection that libcurl opened, or the pipes of a
/// program.
///
/// No call waits. Lives on its engine's thread.
protocol ConversationChannel: AnyObject {
    /// Writes the beginning of some bytes, at least one; returns how many left, 0 when it must be
    /// writable first.
    func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int
    /// Reads the received bytes into a buffer.
    func read(into buffer: inout [UInt8]) throws(TransferFailure) -> RawConnection.Received
    /// Waits for events; an empty set waits for nothing.
    func watch(_ interest: EventPoll.Interest) throws(SystemError)
    /// Tells the peer that nothing more will be sent.
    func shutDownSending()
    /// Ends the channel with some last bytes, which may get lost.
    func close(saying farewell: [UInt8])
}

extension RawConnection: ConversationChannel {
    func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int {
        do throws(CurlCode) {
            return try send(bytes)
        } catch {
            throw TransferFailure(ExchangeEnd(code: error, phase: .send))
        }
    }

    func read(into buffer: inout [UInt8]) throws(TransferFailure) -> Received {
        do throws(CurlCode) {
            return try receive(into: &buffer)
        } catch {
            let end = ExchangeEnd(code: error, phase: .receive, detail: errorDetail)
            // libcurl before 8.0 takes this error for a regular end.
            if end.lacksCloseNotify { return .cut }
            throw TransferFailure(ExchangeEnd(code: error, phase: .receive))
        }
    }

    // The multi handle closes the connection when it removes the easy handle.
    func close(saying farewell: [UInt8]) {}
}
