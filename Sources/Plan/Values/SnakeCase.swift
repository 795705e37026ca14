/// `convertToSnakeCase` of JSONEncoder.
enum SnakeCase {
    /// Puts `_` in front of each word that begins with a capital, and makes all letters small.
    ///
    /// Words end where a capital follows, and where the last of several capitals is followed by a small letter. The
    /// first character is taken for a small one, as in Swift's names: `myURLProperty` becomes `my_url_property`, but
    /// `URL` becomes `u_rl`, as there.
    static func convert(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 >= 0x80 || (65...90).contains($0) }) else { return key }
        let characters = Array(key)
        var words: [ArraySlice<Character>] = []
        var wordStart = 0
        var next = 1
        while next < characters.count,
            let capital = characters[next...].firstIndex(where: isCapital)
        {
            words.append(characters[wordStart..<capital])
            guard let small = characters[capital...].firstIndex(where: isSmall) else {
                wordStart = capital
                break
            }
            if small == capital + 1 {
                wordStart = capital
            } else {
                words.append(characters[capital..<small - 1])
                wordStart = small - 1
            }
            next = small + 1
        }
        words.append(characters[wordStart...])
        return words.map { String($0).lowercased() }.joined(separator: "_")
    }

    /// Of the categories Lu and Lt, as `CharacterSet.uppercaseLetters`.
    private static func isCapital(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .uppercaseLetter, .titlecaseLetter: true
        default: false
        }
    }

    private static func isSmall(_ character: Character) -> Bool {
        character.unicodeScalars.first?.properties.generalCategory == .lowercaseLetter
    }
}
