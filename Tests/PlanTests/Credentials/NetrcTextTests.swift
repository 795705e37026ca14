import Plan
import Testing
import TransferModel

@Suite struct NetrcTextTests {
    /// `host user password` of each login.
    private static func logins(_ text: String) throws -> [String] {
        try NetrcText.credentials(in: text).compactMap { credential in
            guard case .digest(let login) = credential.proof,
                case .host(let host) = credential.space.scope
            else { return nil }
            return "\(host) \(login.user) \(login.password.withText { $0 })"
        }
    }

    @Test(
        arguments: [
            ("", []),
            ("machine a.example login me password p", ["a.example me p"]),
            ("machine A.example\n  login me\n\tpassword p\n", ["a.example me p"]),
            (
                "machine a login me password p\nmachine b password q login you account x",
                ["a me p", "b you q"]
            ),
            ("machine a login \"me and you\" password \"a\\\"b\\\\\"", ["a me and you a\"b\\"]),
            ("# machine a\nmachine b password p # more", ["b  p"]),
            ("machine a password \u{301}p login \"\u{301}m\"", ["a \u{301}m \u{301}p"]),
            ("machine a login me", []),
            ("default login anonymous password p", []),
            ("machine a password p#1", ["a  p#1"]),
            (
                "macdef init\ncd /\nmachine no password no\n\nmachine a login me password p",
                ["a me p"]
            ),
            ("machine a login me password p\r\nmachine b password q\r\n", ["a me p", "b  q"]),
        ]
    )
    func `each machine with a password is a login`(text: String, expected: [String]) throws {
        #expect(try Self.logins(text) == expected)
    }

    @Test(
        arguments: [
            ("user me", 1), ("machine", 1), ("machine a\nlogin", 2), ("machine a\nfoo bar", 2),
            ("machine a password \"open", 1), ("\n\nmachine a password \"\u{1}\"", 3),
        ]
    )
    func `a netrc fault has its line and no text of the file`(
        text: String,
        line: Int
    ) throws {
        let fault = #expect(throws: NetrcSyntaxError.self) {
            _ = try NetrcText.credentials(in: text)
        }
        #expect(fault?.line == line)
    }

    @Test func `a login answers Digest and Basic, a user with a colon Digest alone`() throws {
        let text = "machine a login me password p machine b login me:you password p"
        let methods = try NetrcText.credentials(in: text).map { credential in
            switch credential.proof {
            case .digest: "digest"
            case .basic: "basic"
            default: "other"
            }
        }
        #expect(methods == ["digest", "basic", "digest"])
    }
}
