package import SystemKit

/// Asks the kernel about its interfaces and routes; needs no privilege, and belongs to one thread at a time.
package final class RouteSocket {
    private let socket: NetlinkSocket
    private var sequence: UInt32 = 0

    /// How often a dump is begun again that a change has overtaken.
    private static let mostDumps = 4

    /// Opens it.
    ///
    /// - Throws: What socket(2) and bind(2) say.
    package init() throws(SystemError) {
        socket = try NetlinkSocket()
    }

    /// The interface by which the kernel would go to an address now.
    ///
    /// - Parameter address: Whom a connection is for.
    /// - Returns: Its number; nil when the kernel knows no way.
    /// - Throws: What send(2) and recv(2) say.
    package func interface(to address: IPAddress) throws(SystemError) -> Int32? {
        let isLong = address.bitCount == 128
        var request = NetlinkRequest(
            kind: .route,
            flags: 1,
            body: [isLong ? 10 : 2, UInt8(clamping: address.bitCount)]
                + [UInt8](repeating: 0, count: 10)
        )
        request.append(1, address.bytes)
        var found: Int32?
        try ask(request, isDump: false) { header, body in
            if header.kind == .route { found = NetworkTables.Reading(body)?.interfaces.first }
        }
        return found
    }

    /// All interfaces, addresses and routes; the interfaces are not classified yet.
    ///
    /// - Throws: What send(2) and recv(2) say.
    func tables() throws(SystemError) -> NetworkTables {
        var tables = NetworkTables()
        for round in 1...Self.mostDumps {
            tables = NetworkTables()
            var isInterrupted = false
            for (kind, size) in [(NetlinkHeader.Kind.link, 16), (.address, 8), (.route, 12)] {
                let body = [UInt8](repeating: 0, count: size)
                let request = NetlinkRequest(kind: kind, flags: 0x301, body: body)
                try ask(request, isDump: true) { header, body in
                    isInterrupted = isInterrupted || header.isInterrupted
                    tables.add(header.kind, body)
                }
            }
            if !isInterrupted || round == Self.mostDumps { break }
        }
        return tables
    }

    /// Sends a question and hands every message of the answer to `take`.
    private func ask(
        _ request: NetlinkRequest,
        isDump: Bool,
        _ take: (NetlinkHeader, Span<UInt8>) -> Void
    ) throws(SystemError) {
        sequence &+= 1
        try socket.send(request.message(sequence: sequence))
        var isDone = false
        while !isDone {
            isDone = try socket.receive { bytes in
                !NetlinkHeader.forEachMessage(in: bytes) { header, body in
                    // What is left of an earlier answer is nobody's.
                    guard header.sequence == sequence else { return true }
                    guard header.kind != .done, header.kind != .error else { return false }
                    take(header, body)
                    return isDump
                }
            }
        }
    }
}

/// A question to rtnetlink(7).
struct NetlinkRequest {
    private let kind: UInt16
    private let flags: UInt16
    private var body: [UInt8]

    /// - Parameters:
    ///   - kind: What is asked for; the question's number is two above that of an answer.
    ///   - flags: NLM_F_….
    ///   - body: The fixed part.
    init(kind: NetlinkHeader.Kind, flags: UInt16, body: [UInt8]) {
        self.kind = kind.rawValue + 2
        self.flags = flags
        self.body = body
    }

    /// Adds an attribute.
    mutating func append(_ type: UInt16, _ value: [UInt8]) {
        body += Self.bytes(of: UInt16(4 + value.count)) + Self.bytes(of: type) + value
        while body.count % 4 != 0 { body.append(0) }
    }

    /// As it is sent.
    func message(sequence: UInt32) -> [UInt8] {
        Self.bytes(of: UInt32(16 + body.count)) + Self.bytes(of: kind) + Self.bytes(of: flags)
            + Self.bytes(of: sequence) + Self.bytes(of: UInt32(0)) + body
    }

    /// A number as the machine has it in memory.
    static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        let value = number.littleEndian
        return (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
