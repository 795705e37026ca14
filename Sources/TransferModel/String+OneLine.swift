extension String {
    /// The text on one line: white space becomes single spaces, and invisible characters are
    /// removed.
    ///
    /// Controls, format characters and invalid scalars could move a terminal's cursor or hide text.
    ///
    /// - Parameter limit: The most scalars in the result, without spaces between others.
    /// - Returns: The text, and whether it is complete.
    package func onOneLine(limit: Int = .max) -> (text: String, isWhole: Bool) {
        var text = ""
        var count = 0
        var needsSpace = false
        for scalar in unicodeScalars {
            guard count < limit else { return (text, false) }
            if scalar.properties.isWhitespace {
                needsSpace = !text.isEmpty
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: continue
            default: break
            }
            if needsSpace { text += " " }
            needsSpace = false
            text.unicodeScalars.append(scalar)
            count += 1
        }
        return (text, true)
    }
}
