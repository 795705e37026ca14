internal import SystemKit

/// Finds the credentials in a line that logs in by a protocol of lines, as a `write` step sends
/// it: `AUTH PLAIN …` (RFC 4954 §4, RFC 5034), `a1 LOGIN bob …` (RFC 9051 §6.2.3), `PASS …`
/// (RFC 959), `AUTH bob …` (Redis), `OPER bob …` (RFC 2812 §3.1.4).
enum ProtocolLogin {
    /// Commands whose arguments are credentials.
    private static let verbs: Set<String> = [
        "AUTH", "AUTHENTICATE", "LOGIN", "PASS", "APOP", "OPER", "IDENTIFY",
    ]
    /// Bytes of the longest of them.
    private static let longest = 12
    /// Words of a line among which the command is: a tag or other words may stand before it, as in
    /// `HELLO 3 AUTH bob …`.
    private static let fewWords = 3

    /// The arguments of the first such command, up to the end of the text; nil without one.
    ///
    /// The name of a mechanism (`PLAIN`, `SCRAM-SHA-256`) is not among them.
    static func range(in text: Span<UInt8>) -> Range<Int>? {
        var index = 0
        var number = 0
        while let word = nextWord(in: text, from: &index, &number) {
            guard number <= fewWords, let isLower = isCommand(word, in: text),
                !isLower || number == 1
            else { continue }
            var (end, place) = (index, number)
            guard var argument = nextWord(in: text, from: &end, &place), place > number else {
                continue
            }
            let hasMechanism = isMechanism(SecretScan.string(argument, in: text))
            // A word of a sentence: `login page`.
            if isLower, !hasMechanism { continue }
            if hasMechanism {
                guard let next = nextWord(in: text, from: &end, &place), place > number + 1 else {
                    continue
                }
                argument = next
            }
            return argument.lowerBound..<text.count
        }
        return nil
    }

    /// Whether a command is in small letters; nil for a word that is none.
    private static func isCommand(_ word: Range<Int>, in text: Span<UInt8>) -> Bool? {
        guard word.count <= longest else { return nil }
        let command = SecretScan.string(word, in: text)
        if verbs.contains(command) { return false }
        return verbs.contains(command.uppercased()) ? true : nil
    }

    /// Whether a word is the name of a SASL mechanism (RFC 4422 §3.1), in small letters too.
    private static func isMechanism(_ word: String) -> Bool {
        let name = word.uppercased()
        return ["PLAIN", "LOGIN", "EXTERNAL", "ANONYMOUS", "NTLM", "GSSAPI", "XOAUTH2"]
            .contains(name)
            || ["SCRAM-", "CRAM-", "DIGEST-", "OAUTHBEARER"].contains { name.hasBytePrefix($0) }
    }

    /// The next word and, in `number`, its place in its line from 1 on.
    private static func nextWord(
        in text: Span<UInt8>,
        from index: inout Int,
        _ number: inout Int
    ) -> Range<Int>? {
        while index < text.count, text[index] <= 32 {
            if text[index] == 10 || text[index] == 13 { number = 0 }
            index += 1
        }
        guard index < text.count else { return nil }
        let start = index
        while index < text.count, text[index] > 32 { index += 1 }
        number += 1
        return start..<index
    }
}
