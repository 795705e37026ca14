import TestSupport
import Testing
import TransferModel

@testable import Report

@Suite struct StreamRedactorTests {
    private static let secret = #"S3cr"et/ß\\x😀 ~+"#
    private static let mark = "‹redacted›"

    /// The text shown for pieces.
    private static func shown(_ pieces: [[UInt8]], _ secrets: String...) throws -> String {
        let redactor = try #require(Redactor(secrets.map { Secret($0) }))
        var stream = StreamRedactor(redactor)
        var shown: [UInt8] = []
        for piece in pieces { shown += stream.take(piece) }
        return String(decoding: shown + stream.take([], isLast: true), as: UTF8.self)
    }

    /// Every form of the secret that is claimed, in surroundings that end it.
    private static let forms: [String] = {
        let forms = SecretForms.all(of: secret)
        let lines = forms.map { SecretForms.broken($0, every: 5, by: "\r\n") }
        return forms + lines.suffix(SecretForms.base64Count)
    }()

    @Test(arguments: forms)
    func `a secret is found in each of its forms with pieces of any size`(form: String) throws {
        let text = Array("pre=\(form)! and behind\n".utf8)
        let whole = try Self.shown([text], Self.secret)
        #expect(whole.contains(Self.mark) && !whole.contains(form))
        for cut in 0...text.count {
            let shown = try Self.shown([Array(text[..<cut]), Array(text[cut...])], Self.secret)
            // The first digit of base64 may be out before it is recognized: it has some bits of the
            // text before it.
            #expect(SecretForms.traces(of: Self.secret, in: shown).isEmpty, "\(cut) \(shown)")
            #expect(shown.contains(Self.mark) && shown.hasSuffix("and behind\n"))
        }
        let single = try Self.shown(text.map { [$0] }, Self.secret)
        #expect(SecretForms.traces(of: Self.secret, in: single).isEmpty, "\(single)")
    }

    @Test(arguments: [1, 7, 4096, 16_384, 65_536])
    func `a long line of secrets leaves nothing behind whatever the size of the pieces`(
        size: Int
    ) throws {
        let count = size == 1 ? 200 : 12_000
        let text = Array(String(repeating: "SuperSecretToken99-", count: count).utf8)
        let pieces = stride(from: 0, to: text.count, by: size).map {
            Array(text[$0..<min($0 + size, text.count)])
        }
        let shown = try Self.shown(pieces, "SuperSecretToken99")
        #expect(shown == String(repeating: "\(Self.mark)-", count: count))
    }

    @Test func `overlapping secrets leave nothing behind wherever the pieces end`() throws {
        let text = Array("xabcdefgx aaaaaaab abab".utf8)
        for cut in 0...text.count {
            let pieces = [Array(text[..<cut]), Array(text[cut...])]
            let shown = try Self.shown(pieces, "abcde", "cdefg", "aaaa", "aaaaaab")
            #expect(!shown.contains("a") || shown.hasSuffix(" abab"), "\(cut) \(shown)")
            #expect(!shown.contains("f"), "\(cut) \(shown)")
        }
    }

    @Test func `text that is no secret is not held back`() throws {
        let redactor = try #require(Redactor([Secret("SuperSecretToken99")]))
        var stream = StreamRedactor(redactor)
        #expect(stream.take(Array("all is well.\n".utf8)) == Array("all is well.\n".utf8))
        #expect(stream.take(Array("Super".utf8)).isEmpty)
        #expect(stream.take(Array(" market.\n".utf8)) == Array("Super market.\n".utf8))
    }

    @Test func `endless padding is not held back forever`() throws {
        let redactor = try #require(Redactor([Secret("SuperSecretToken99")]))
        var stream = StreamRedactor(redactor)
        var shown = stream.take(Array("U3VwZXJTZWNy".utf8)).count
        let spaces = [UInt8](repeating: 32, count: 16_384)
        for _ in 0..<100 { shown += stream.take(spaces).count }
        #expect(shown > 1_000_000)
    }
}
