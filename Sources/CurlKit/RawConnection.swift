internal import CCurl
internal import Glibc
package import SystemKit

/// The connection that an easy handle only opened (`EasyRequest.isConnectOnly`), with TLS and
/// through a proxy where the request has them: bytes in both directions.
///
/// Lives on its engine's thread. It ends when the multi handle removes the easy handle, which
/// closes the connection. No call waits (`curl_easy_send`, `curl_easy_recv`).
@safe package final class RawConnection {
    /// The result of a read.
    package enum Received: Sendable, Hashable {
        /// The number of bytes at the beginning of the buffer.
        case bytes(Int)
        /// Nothing until the socket is readable.
        case nothing
        /// The peer will send no more.
        case end
        /// The connection has ended without the close notification of its TLS (RFC 8446 §6.1).
        case cut
    }

    private let handle: EasyHandle
    private let opening: SocketTable.Opening
    private let key: Int
    /// The events that the table watches for.
    private var interest: EventPoll.Interest = []

    /// Takes the connection of a handle; nil when it has none.
    ///
    /// - Parameters:
    ///   - handle: A handle whose exchange has ended and that its multi handle still has.
    ///   - key: The input key by which the table reports that the connection is ready.
    package init?(of handle: EasyHandle, key: Int) {
        guard handle.isConnectOnly, let opening = handle.newestOpening else { return nil }
        self.handle = handle
        self.opening = opening
        self.key = key
    }

    /// Sends the beginning of some bytes.
    ///
    /// - Parameter bytes: At least one byte.
    /// - Returns: The number of bytes that the connection took; 0 when it takes none until its
    ///   socket is writable.
    /// - Throws: libcurl's code for a connection that is lost.
    package func send(_ bytes: Span<UInt8>) throws(CurlCode) -> Int {
        var sent = 0
        let code = handle.sockets.call {
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe ccurl_easy_send(handle.pointer, buffer.baseAddress, buffer.count, &sent)
            }
        }
        if code == CURLE_AGAIN { return 0 }
        guard code == CURLE_OK else { throw CurlCode(code) }
        return sent
    }

    /// Reads the received bytes into a buffer.
    ///
    /// TLS may hold bytes that the socket does not show: read until there is nothing before waiting
    /// for the socket.
    package func receive(into buffer: inout [UInt8]) throws(CurlCode) -> Received {
        var received = 0
        let code = handle.sockets.call {
            unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe ccurl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &received)
            }
        }
        if code == CURLE_AGAIN { return .nothing }
        guard code == CURLE_OK else { throw CurlCode(code) }
        guard received == 0 else { return .bytes(received) }
        return handle.lacksCloseNotify ? .cut : .end
    }

    /// libcurl's message about the last failure; nil without one.
    package var errorDetail: String? { handle.errorDetail }

    /// Waits for the events of the socket; an empty set waits for nothing.
    package func watch(_ interest: EventPoll.Interest) throws(SystemError) {
        guard interest != self.interest else { return }
        try handle.sockets.watchRaw(opening, for: interest, key: key)
        self.interest = interest
    }

    /// Tells the peer that nothing more will be sent (shutdown(2)), below TLS and any tunnel.
    package func shutDownSending() {
        guard handle.sockets.isOpen(opening) else { return }
        _ = Glibc.shutdown(opening.socket, Int32(SHUT_WR))
    }

    /// The descriptor, for use on this thread while the connection is open; nil afterwards.
    package var descriptor: Int32? { handle.sockets.isOpen(opening) ? opening.socket : nil }
}
