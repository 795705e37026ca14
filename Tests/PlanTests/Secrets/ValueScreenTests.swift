import Diagnostics
import JobFile
import Testing

@testable import Plan

/// Of a line of a job file that a diagnostic quotes, only signs, keys, expressions and the values
/// of keys without secrets are shown.
@Suite struct ValueScreenTests {
    /// All lines of a file with stars in place of what is hidden.
    private static func shown(of file: String) throws -> String {
        let parsed = Document.parse(Array(file.utf8), name: "job.yaml")
        let document = try #require(parsed.document, "\(parsed.diagnostics)")
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Array(String($0).unicodeScalars) }
        for hidden in ValueScreen.hidden(in: Set(1...lines.count), of: document) {
            let range = hidden.range
            #expect(range.start.line == range.end.line)
            for column in range.start.column..<range.end.column {
                lines[range.start.line - 1][column - 1] = "*"
            }
        }
        return lines.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
    }

    @Test(arguments: [
        "version: 1", "defaults: { retry: { atempts: 6, budget: 5 } }",
        "data: { a: { url: \"https://h.example:8443/a/${item.id}.bin\", method: GETT } }",
        "data: { a: { url: htps://h.example/a, needs: [logn], session: mian } }",
        "data: { a: { url: example.com/a, timeoutInterval: 30 seconds } }",
        "data: { a: { url: 'http://localhost:4873/@scope/name' } }",
        "downloads: { a: { url: \"${var.base}/x\", to: ../out/höhe.txt, checksum: \"sha256:zz\" } }",
        "downloads: { a: { url:https://h.example/, to: x } }",
        "data: { a: { capture: { token: /access_token }, expect: { mimeType: text/html } } }",
        "data: { a: { headers: { Authorization: \"${secret.shop}\" } } }",
        "x-a: &base { timeoutInterval: 5x }\ndefaults: { <<: *base }",
        "uploads: { a: { json: orders/1001.json } }", "data: { a: { x: no, y: 12, z: basic } }",
        "data: { a: { retry: { on: [503, conect] } } }", "schedule: { deadlin }",
        "downloads: { a: { too: CHANGES.txt, urll: https://h.example/a, chcksum: \"sha256:a/\" } }",
        "secrets: { a: { env: API_TOKEN } }",
    ])
    func `what cannot be a secret is shown`(file: String) throws {
        #expect(try Self.shown(of: file) == file)
    }

    @Test(arguments: [
        ("variables: { a: hunter2 }", "variables: { a: ******* }"),
        ("variables: { a: 'hunter2 ${var.b} x' }", "variables: { a: '******* ${var.b} *' }"),
        ("data: { a: { apiKeyy: hunter2 } }", "data: { a: { apiKeyy: ******* } }"),
        ("data: { a: { headers: { X: hunter2 } } }", "data: { a: { headers: { X: ******* } } }"),
        (
            "variables: { key: hunter2, name: hunter3 }",
            "variables: { key: *******, name: ******* }"
        ),
        (
            "uploads: { a: { json: { to: [hunter2] } } }",
            "uploads: { a: { json: { to: [*******] } } }"
        ),
        ("data: { a: { urll: hunter2 } }", "data: { a: { urll: ******* } }"),
        (
            "streams: { s: { steps: [{ write: \"AUTH PLAIN AGI=\" }] } }",
            "streams: { s: { steps: [{ write: \"***************\" }] } }"
        ),
        ("data: { a: { x: y, hunter2 } }", "data: { a: { x: y, ******* } }"),
        ("a: { url: https://h/?k=hunter2 }", "a: { url: ******************** }"),
        ("data: { a: { url: https://h/?k=x1 } }", "data: { a: { url: https://h/***** } }"),
        (
            "data: { a: { url: https://bob:hunter2@h/ } }",
            "data: { a: { url: https://************** } }"
        ),
        (
            "data: { a: { url: https://bob:hun, ter@h/: } }",
            "data: { a: { url: https://*******, ******: } }"
        ),
        ("a: 1 # hunter2", "a: 1 # *******"), ("a: &hunter2 1", "a: ******** 1"),
        ("a: !hunter2 1", "a: ******** 1"), ("a: ${env.A:-hunter2}", "a: *****************"),
        ("a: |\n  hunter2\n  two\nb: 1", "a: *\n  *******\n  ***\nb: 1"),
        ("a: \"hunter2\n  two\"\nb: 1", "a: \"*******\n  ***\"\nb: 1"),
        ("a: \"hun\\x74er2\"", "a: \"**********\""), ("ключ: hunter2", "ключ: *******"),
        ("? [hunter2]\n: 1", "? [*******]\n: 1"), ("two words: hunter2", "two words: *******"),
        ("data: { a: { command: [c, hunter2] } }", "data: { a: { command: [c, *******] } }"),
        ("downloads: { a: { to: one x!y } }", "downloads: { a: { to: one *** } }"),
    ])
    func `everything else is hidden`(file: String, shown: String) throws {
        #expect(try Self.shown(of: file) == shown)
    }
}

/// A plan hides the credentials in lines of protocols.
@Suite struct ProtocolLoginTests {
    @Test(arguments: [
        ("AUTH PLAIN AGJvYgB4\r\n", "AGJvYgB4\r\n"),
        ("a1 LOGIN bob hunter2\r\n", "bob hunter2\r\n"),
        ("PASS hunter2\r\nQUIT\r\n", "hunter2\r\nQUIT\r\n"),
        ("AUTH bob hunter2\r\n", "bob hunter2\r\n"),
        ("HELLO 3 AUTH bob hunter2", "bob hunter2"), ("auth plain AGJvYgB4", "AGJvYgB4"),
        ("USER bob\nPASS hunter2", "hunter2"), ("a2 AUTHENTICATE SCRAM-SHA-256 biws", "biws"),
        ("OPER bob hunter2", "bob hunter2"),
    ])
    func `arguments of a login are found`(text: String, arguments: String) throws {
        let found = ProtocolLogin.range(in: text.utf8.span)
        let range = try #require(found)
        #expect(Array(text.utf8)[range].elementsEqual(arguments.utf8))
    }

    @Test(arguments: [
        "USER bob\r\n", "AUTH PLAIN\r\n", "login page of the shop", "LOGIN\r\nhello", "",
        "please send the PASS to bob", "{\"LOGIN\": 1}",
    ])
    func `other texts have none`(text: String) {
        let found = ProtocolLogin.range(in: text.utf8.span)
        #expect(found == nil)
    }
}
