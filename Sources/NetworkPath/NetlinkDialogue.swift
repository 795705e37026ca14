internal import SystemKit

/// Sends requests to a netlink family and reads the answers; serves one thread at a time.
final class NetlinkDialogue {
    private let socket: NetlinkSocket
    private var sequence: UInt32 = 0

    /// Opens a socket.
    ///
    /// - Throws: The errors of socket(2) and bind(2).
    init(with part: NetlinkSocket.Part) throws(SystemError) {
        socket = try NetlinkSocket(with: part)
    }

    /// Sends a request and passes every message of the answer to `take`.
    ///
    /// - Throws: The errors of send(2) and recv(2), and the kernel's reason for an incomplete dump.
    func ask(
        _ request: NetlinkRequest,
        isDump: Bool,
        _ take: (NetlinkHeader, Span<UInt8>) -> Void
    ) throws(SystemError) {
        sequence &+= 1
        try socket.send(request.message(sequence: sequence))
        var isDone = false
        var refusal: Int32 = 0
        while !isDone {
            isDone = try socket.receive { bytes in
                !NetlinkHeader.forEachMessage(in: bytes) { header, body in
                    // Skip the rest of an earlier answer.
                    guard header.sequence == sequence else { return true }
                    if header.kind == .error { refusal = -(body.index(at: 0) ?? 0) }
                    guard header.kind != .done, header.kind != .error else { return false }
                    take(header, body)
                    return isDump
                }
            }
        }
        // An incomplete dump would look as if interfaces were gone. A rejected single request has
        // no answer.
        guard isDump, refusal > 0 else { return }
        throw SystemError(errno: refusal, operation: "ask", subject: "the kernel over netlink")
    }
}

/// A netlink(7) request.
struct NetlinkRequest {
    private let kind: UInt16
    private let flags: UInt16
    private var body: [UInt8]

    /// A request for rtnetlink(7).
    ///
    /// - Parameters:
    ///   - kind: The type of the answers; the request's type is two greater.
    ///   - flags: NLM_F_….
    ///   - body: The fixed part.
    init(kind: NetlinkHeader.Kind, flags: UInt16, body: [UInt8]) {
        self.init(number: kind.rawValue + 2, flags: flags, body: body)
    }

    /// A request for any netlink family.
    ///
    /// - Parameters:
    ///   - number: The message's type.
    ///   - flags: NLM_F_….
    ///   - body: The fixed part.
    init(number: UInt16, flags: UInt16, body: [UInt8]) {
        kind = number
        self.flags = flags
        self.body = body
    }

    /// Adds an attribute.
    mutating func append(_ type: UInt16, _ value: [UInt8]) {
        body += Self.bytes(of: UInt16(4 + value.count)) + Self.bytes(of: type) + value
        while body.count % 4 != 0 { body.append(0) }
    }

    /// The complete message.
    func message(sequence: UInt32) -> [UInt8] {
        Self.bytes(of: UInt32(16 + body.count)) + Self.bytes(of: kind) + Self.bytes(of: flags)
            + Self.bytes(of: sequence) + Self.bytes(of: UInt32(0)) + body
    }

    /// The bytes of a number in the machine's order.
    static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        let value = number.littleEndian
        return (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
