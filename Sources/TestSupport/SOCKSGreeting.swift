import SystemKit

/// How a scripted server answers as a SOCKS proxy, of version 4, 4a or 5 (RFC 1928).
package final class SOCKSGreeting: Sendable {
    /// nil lets everybody in.
    let user: String?
    private let password: String
    /// The reply to being asked for a connection: 0 makes one.
    let reply: UInt8
    private let asked = Lock([String]())

    package init(user: String? = nil, password: String = "", reply: UInt8 = 0) {
        self.user = user
        self.password = password
        self.reply = reply
    }

    /// The hosts and ports that connections were asked for to, such as `a.test:80`.
    package var targets: [String] { asked.withLock { $0 } }

    func isKnown(_ user: [UInt8], _ password: [UInt8]) -> Bool {
        user == Array((self.user ?? "").utf8) && password == Array(self.password.utf8)
    }

    func note(_ host: [UInt8], isName: Bool, port: Int) {
        let text =
            isName
            ? String(decoding: host, as: UTF8.self) : host.map(String.init).joined(separator: ".")
        asked.withLock { $0.append("\(text):\(port)") }
    }
}
