import Testing
import TransferModel

@testable import Transfer

@Suite struct ChallengeTests {
    /// Challenges on one line each: the scheme, a token between slashes, the parameters.
    private static func read(_ values: [String]) -> [String] {
        let fields = HeaderFields(values.map { HeaderField(name: "WWW-Authenticate", value: $0) })
        return Challenge.all(in: fields, named: "www-authenticate").map { challenge in
            let token = challenge.token.map { " /\(String(decoding: $0, as: UTF8.self))/" } ?? ""
            let parameters = challenge.parameters.map {
                " \($0.name)=<\(String(decoding: $0.value, as: UTF8.self))>"
            }
            return challenge.scheme + token + parameters.joined()
        }
    }

    @Test(
        arguments: [
            (["Basic realm=\"simple\""], ["basic realm=<simple>"]),
            (["Basic"], ["basic"]),
            ([""], []),
            ([" , ,"], []),
            (
                [
                    "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""
                ],
                ["newauth realm=<apps> type=<1> title=<Login to \"apps\">", "basic realm=<simple>"]
            ),
            (["Negotiate", "NTLM"], ["negotiate", "ntlm"]),
            (["Negotiate, NTLM, Basic realm=x"], ["negotiate", "ntlm", "basic realm=<x>"]),
            (["NTLM TlRMTVNTUAACAAAA=="], ["ntlm /TlRMTVNTUAACAAAA==/"]),
            (
                ["Negotiate YII+/a=, Basic realm=\"a, b\""],
                ["negotiate /YII+/a=/", "basic realm=<a, b>"]
            ),
            (
                ["Digest  realm = \"r\" ,nonce=\"n\",stale=TRUE"],
                ["digest realm=<r> nonce=<n> stale=<TRUE>"]
            ),
            (["BASIC REALM=\"R\""], ["basic realm=<R>"]),
            (["Basic realm=\"open"], ["basic realm=<open>"]),
            (["Basic realm=\"ends in \\"], ["basic realm=<ends in \\>"]),
            (["realm=\"nobody's\""], []),
            (["\"Basic\", Digest nonce=x"], ["digest nonce=<x>"]),
            (["Basic realm=a b, Digest nonce=x"], ["basic realm=<a>", "b", "digest nonce=<x>"]),
            (
                ["Bearer error=\"invalid_token\",", ", Basic realm=\"\""],
                ["bearer error=<invalid_token>", "basic realm=<>"]
            ),
        ]
    )
    // RFC 9110 §11.6.1
    func `challenges are distinguished from their parameters`(values: [String], expected: [String])
    {
        #expect(Self.read(values) == expected)
    }
}
