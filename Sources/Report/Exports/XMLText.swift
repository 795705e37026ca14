/// Writes XML 1.0 text (https://www.w3.org/TR/xml/).
enum XMLText {
    /// The text as the content of an element or of an attribute in double quotes.
    ///
    /// Characters that XML 1.0 forbids (§2.2) become `\u{1B}`, so that they stay visible.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            case "\r": result += "&#13;"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}", "\u{7F}"..."\u{9F}":
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
