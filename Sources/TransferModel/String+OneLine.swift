extension String {
    /// The text as a message has it: runs of white space are one space, and what no one can see is
    /// away.
    ///
    /// Controls, format characters and what is no character could move a terminal's cursor or hide
    /// text.
    ///
    /// - Parameter limit: The most scalars of the result, spaces between others not counted.
    /// - Returns: The text, and whether the limit left nothing out.
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
