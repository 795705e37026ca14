/// The beginning of a text that a peer had a hand in, made harmless for messages.
enum TextExcerpt {
    private static let maximumScalars = 200

    /// At most 200 characters on one line, without controls; an ellipsis at the end says that there was more.
    ///
    /// `isCut`: the source itself is only a beginning. The ellipsis is how half of a secret is known for one.
    static func of(_ source: String, isCut: Bool = false) -> String {
        var text = ""
        var count = 0
        var needsSpace = false
        for scalar in source.unicodeScalars {
            if count == maximumScalars {
                return text + "…"
            }
            if scalar.properties.isWhitespace {
                needsSpace = !text.isEmpty
                continue
            }
            // Controls, format characters and what is no character could move a terminal's cursor or hide text.
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: continue
            default: break
            }
            if needsSpace {
                text += " "
                needsSpace = false
            }
            text.unicodeScalars.append(scalar)
            count += 1
        }
        return isCut && !text.isEmpty ? text + "…" : text
    }
}
