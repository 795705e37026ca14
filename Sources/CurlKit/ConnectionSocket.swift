internal import CCurl

/// The socket of a connection, for use on its own thread.
@safe package struct ConnectionSocket {
    private let opening: SocketTable.Opening
    /// OpenSSL's object for the proxy's TLS around the connection's; it lives as long as the open
    /// socket.
    var outerTLS: UnsafeRawPointer?
    private let table: SocketTable

    /// nil when the socket does not belong to the connection.
    init?(_ opening: SocketTable.Opening, in table: SocketTable, of connection: ConnectionFacts) {
        guard table.isOpen(opening),
            SocketOptions.isSocket(opening.socket, from: connection.localPort)
        else { return nil }
        (self.opening, self.table) = (opening, table)
    }

    /// Whether the connection is open; after that its descriptor may belong to another socket.
    package var isOpen: Bool { table.isOpen(opening) }

    /// The number of the interface that the socket is bound to; 0 for none.
    package var boundInterface: Int32 { isOpen ? SocketOptions.boundInterface(opening.socket) : 0 }

    /// Whether the socket uses UDP instead of TCP, as HTTP/3 does.
    package var isDatagram: Bool { isOpen && SocketOptions.isDatagram(opening.socket) }

    /// Whether both ends of the connection use Multipath TCP (RFC 8684).
    package var isMultipath: Bool { isOpen && SocketOptions.isMultipath(opening.socket) }

    /// Whether the peer has neither sent unread bytes nor closed the connection; one system call.
    package var isSilent: Bool {
        guard isOpen, SocketOptions.isSilent(opening.socket) else { return false }
        return unsafe outerTLS.map { unsafe ccurl_ssl_has_unread($0) == 0 } ?? true
    }

    /// Resets the connection: the kernel drops unsent bytes and sends the peer one packet (RST).
    package func reset() {
        if isOpen { table.reset(opening) }
    }
}
