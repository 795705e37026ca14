import SystemKit

/// A scripted server's behavior as a SOCKS proxy, of version 4, 4a or 5 (RFC 1928).
package final class SOCKSGreeting: Sendable {
    /// nil admits every user.
    let user: String?
    private let password: String
    /// The reply to a connect request; 0 accepts it.
    let reply: UInt8
    private let asked = Lock([String]())

    /// Creates a proxy; by default it admits every user and accepts every connect request.
    package init(user: String? = nil, password: String = "", reply: UInt8 = 0) {
        self.user = user
        self.password = password
        self.reply = reply
    }

    /// The requested hosts and ports, such as `a.test:80`.
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
