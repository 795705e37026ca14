import Testing
import Transfer
import TransferModel

/// What lines of `known_hosts` say of a server, as in sshd(8).
@Suite struct KnownHostsTests {
    private static func key(_ kind: String, _ number: UInt8 = 1) -> String {
        let bytes = [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8) + [0, 0, 0, 1, number]
        return "\(kind) \(Base64.encode(bytes))"
    }

    private static let one = key("ssh-ed25519", 1)
    private static let two = key("ssh-ed25519", 2)
    private static let rsa = key("ssh-rsa")

    private func lines(_ text: String, _ host: String = "a.test", port: Int = 22) -> String {
        KnownHosts(Array(text.utf8), host: host, port: port).plainLines
    }

    @Test func `a plain line and a comment are read, and other hosts are not of interest`() {
        let text =
            "# a.test \(Self.two)\n\na.test,b.test \(Self.one) comment\r\nc.test \(Self.two)\n"
        #expect(lines(text) == "a.test \(Self.one)\n")
        #expect(lines(text, "b.test") == "b.test \(Self.one)\n")
        #expect(lines(text, "d.test").isEmpty)
    }

    @Test(arguments: [
        ("*.test", true), ("A.TEST", true), ("?.test", true), ("*", true), ("??.test", false),
        ("a.*.test", false), ("*.test,!a.test", false), ("!a.test,*", false), ("!b.test", false),
        ("!b.test,*", true), ("a.tes", false), ("a.test*", true), ("[a.test]:22", false),
    ])
    func `patterns match as in OpenSSH`(pattern: String, matches: Bool) {
        #expect(lines("\(pattern) \(Self.one)\n").isEmpty != matches)
    }

    @Test func `a port other than 22 is a part of the name, and names without a port come second`()
    {
        let name = "[a.test]:2222"
        #expect(lines("\(name) \(Self.one)\n").isEmpty)
        #expect(lines("\(name) \(Self.one)\n", port: 2222) == "\(name) \(Self.one)\n")
        #expect(lines("[*.test]:* \(Self.one)\n", port: 2222) == "\(name) \(Self.one)\n")
        #expect(lines("a.test \(Self.one)\n", port: 2222) == "\(name) \(Self.one)\n")
        // Another key of the same kind than that of the port has changed.
        let both = "a.test \(Self.one)\na.test \(Self.rsa)\n\(name) \(Self.two)\n"
        #expect(lines(both, port: 2222) == "\(name) \(Self.two)\n\(name) \(Self.rsa)\n")
        #expect(lines("::1 \(Self.one)\n", "::1") == "::1 \(Self.one)\n")
        #expect(lines("[::1]:23 \(Self.one)\n", "::1", port: 23) == "[::1]:23 \(Self.one)\n")
    }

    @Test func `libcurl gets the best kind of key first, and asks for it`() {
        let text = "a.test \(Self.rsa)\na.test \(Self.one)\n"
        #expect(lines(text) == "a.test \(Self.one)\na.test \(Self.rsa)\n")
    }

    // Made by `ssh-keygen -H`.
    @Test func `hashed names are found`() {
        let salt = [UInt8](0..<20)
        let hash = SHA1.hmac(Array("[a.test]:2222".utf8), key: salt)
        let name = "|1|\(Base64.encode(salt))|\(Base64.encode(hash))"
        #expect(lines("\(name) \(Self.one)\n", port: 2222) == "[a.test]:2222 \(Self.one)\n")
        #expect(lines("\(name) \(Self.one)\n").isEmpty)
        #expect(lines("|1|\(Base64.encode(salt)) \(Self.one)\n").isEmpty)
    }

    @Test func `revoked keys are unknown, whichever line comes first`() {
        let text = "a.test \(Self.one)\na.test \(Self.rsa)\n@revoked * \(Self.one)\n"
        #expect(lines(text) == "a.test \(Self.rsa)\n")
        #expect(KnownHosts(Array(text.utf8), host: "a.test", port: 22).revokes)
        #expect(
            lines("@revoked b.test \(Self.one)\na.test \(Self.one)\n") == "a.test \(Self.one)\n"
        )
    }

    @Test func `the key of an authority is no key of a server`() {
        let text = "@cert-authority *.test \(Self.one)\n"
        let hosts = KnownHosts(Array(text.utf8), host: "a.test", port: 22)
        #expect(hosts.needsCertificate && !hosts.knowsServer)
        let both = text + "a.test \(Self.two)\n"
        #expect(!KnownHosts(Array(both.utf8), host: "a.test", port: 22).needsCertificate)
    }

    @Test(arguments: [
        "a.test", "a.test ssh-ed25519", "a.test ssh-ed25519 ###", "@other a.test \(one)",
        "a.test ssh-rsa \(one.split(separator: " ")[1])", "@revoked", "\u{0}",
        "a.test \(key("sk-ssh-ed25519@openssh.com"))",
        "a.test \(key("ssh-ed25519-cert-v01@openssh.com"))",
    ])
    func `lines that are not understood are passed over`(line: String) {
        #expect(lines("\(line)\na.test \(Self.one)\n") == "a.test \(Self.one)\n")
    }
}
