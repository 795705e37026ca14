import Glibc
import SystemKit

/// The kernel's table of IPv4 TCP sockets (`/proc/net/tcp`), for changes without an event.
package enum ConnectionTable {
    /// A socket at 127.0.0.1 or connected to it, in the text of the table.
    private struct Row {
        var own: Substring
        var peer: Substring
        var state: Substring
        var unread: Int

        init?(_ line: Substring) {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count > 4 else { return nil }
            (own, peer, state) = (fields[1], fields[2], fields[3])
            unread = fields[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0
        }
    }

    /// CLOSE_WAIT: the peer has closed its side.
    private static let closed = "08"
    private static let listening = "0A"

    /// Waits until a socket connected to a port of 127.0.0.1 has unread bytes or an end to read.
    package static func waitForUnread(from port: UInt16) throws {
        let peer = address(port)
        try wait("unread bytes", with: peer) {
            $0.peer == peer && ($0.unread > 0 || $0.state == closed)
        }
    }

    /// Waits until a port of 127.0.0.1 accepts connections.
    static func waitForListener(at port: UInt16) throws {
        let own = address(port)
        try wait("a listener", with: own) { $0.own == own && $0.state == listening }
    }

    private static func wait(
        _ what: String,
        with address: String,
        until isWanted: (Row) -> Bool
    ) throws {
        let deadline = Deadline()
        while true {
            if rows(with: address).contains(where: isWanted) { return }
            guard deadline.remainingMilliseconds > 0 else { throw GuardTimeout(what) }
            // The kernel reports no such event, so check every millisecond.
            poll(nil, 0, 1)
        }
    }

    /// The rows that have an address; other sockets of the machine may be thousands.
    private static func rows(with address: String) -> [Row] {
        let table = Fixture.read("/proc/net/tcp") ?? []
        var rows: [Row] = []
        var place = 0
        while let end = table.end(of: Array(address.utf8), from: place) {
            let start = table[..<end].lastIndex(of: 10) ?? 0
            place = table[end...].firstIndex(of: 10) ?? table.count
            let line = String(decoding: table[start..<place], as: UTF8.self)
            if let row = Row(line[...]) { rows.append(row) }
        }
        return rows
    }

    private static func address(_ port: UInt16) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
