/// The beginning of a text that a peer had a hand in, made harmless for messages.
enum TextExcerpt {
    private static let maximumScalars = 200

    /// At most 200 characters on one line, without controls.
    static func of(_ source: String) -> String {
        var text = ""
        var count = 0
        var needsSpace = false
        for scalar in source.unicodeScalars {
            if count == maximumScalars {
                text += "…"
                break
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
        return text
    }
}
