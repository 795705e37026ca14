/// What answers an exchange, with the state that only such an exchange has.
enum ExchangeKind {
    /// A server of HTTP.
    case http
    /// A URL without a server, whose body is being read.
    case local(LocalBody)
    /// A server of FTP or SFTP.
    case fileServer(FileTransfer)
    /// The peer of an open connection. Next: `http`, when the peer has opened no WebSocket.
    case conversation(RunningConversation)
    /// The program of a custom scheme. Next: `http`.
    case program(RunningConversation)
}
