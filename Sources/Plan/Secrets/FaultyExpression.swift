/// An expression that cannot be read, in the place of a secret or behind the name of one: what
/// follows its name may be the secret.
struct FaultyExpression {
    /// The name of the wanted value, without its namespace.
    let name: String
    /// The possible secret: the text behind the name as it is written, and without the signs and
    /// quotation marks around it.
    ///
    /// It is empty for an expression that is a name alone.
    let fallbacks: [String]

    /// Takes an expression apart, from its `${` to its brace.
    init(_ written: String) {
        var content = Substring(written.utf8.dropFirst(2))
        if content.last == "}" { content = content.dropLast() }
        let inner = content.drop { $0 == " " }
        let head = inner.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        // A hyphen belongs to the names of variables, but not to those of the environment.
        let environment = head.prefix { $0 != "-" }
        let isOfEnvironment = !environment.drop(while: Self.isNamespaceLetter).contains {
            $0.isLowercase
        }
        let path = isOfEnvironment ? environment : head
        name = String(path.split(separator: ".").last ?? "")
        let tail = inner[path.endIndex...]
        let marks: Set<Character> = [
            ":", "-", "=", "+", "?", "|", "\"", "'", " ", "(", ")", "}", ",",
        ]
        let plain = tail.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
        fallbacks = plain.isEmpty ? [] : [String(tail), String(plain.reversed())]
    }

    private static func isNamespaceLetter(_ character: Character) -> Bool {
        character.isLowercase || character == "."
    }
}
