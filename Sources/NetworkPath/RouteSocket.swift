package import SystemKit

/// Asks the kernel about its interfaces and routes; needs no privilege, and belongs to one thread at a time.
package final class RouteSocket {
    private let dialogue: NetlinkDialogue

    /// How often a dump is begun again that a change has overtaken.
    private static let mostDumps = 4

    /// Opens it.
    ///
    /// - Throws: What socket(2) and bind(2) say.
    package init() throws(SystemError) {
        dialogue = try NetlinkDialogue(with: .routes)
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
        try dialogue.ask(request, isDump: false) { header, body in
            if header.kind == .route { found = NetworkTables.Reading(body)?.hops.first?.interface }
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
                try dialogue.ask(request, isDump: true) { header, body in
                    isInterrupted = isInterrupted || header.isInterrupted
                    tables.add(header.kind, body)
                }
            }
            if !isInterrupted || round == Self.mostDumps { break }
        }
        return tables
    }
}
