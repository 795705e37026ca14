/// Text as a terminal shows it.
package enum TerminalText {
    /// The text with everything replaced that a terminal would obey or that would change the order of the letters.
    package static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isHarmful(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    /// The number of cells that harmless text takes.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The text within exactly `columns` cells: filled up with spaces, or cut with an ellipsis as its last cell.
    static func fitted(_ text: String, columns: Int) -> String {
        let cut = truncated(text, columns: columns)
        return cut + String(repeating: " ", count: max(0, columns - width(cut)))
    }

    /// The text within at most `columns` cells, its end replaced by an ellipsis when it does not fit.
    static func truncated(_ text: String, columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            used += width(character)
            if used > columns - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Controls (C0, DEL, C1), line and paragraph separators, and marks of writing direction.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }

    private static func width(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { max($0, width($1)) }
    }

    /// 2 for the wide scalars of Unicode Standard Annex #11, 0 for marks that stand on others.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return scalar.properties.isEmojiPresentation ? 2 : 1
            }
        }
    }
}
