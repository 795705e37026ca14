internal import SystemKit
internal import TransferModel

/// `convertToSnakeCase` of JSONEncoder.
enum SnakeCase {
    /// Puts `_` in front of each word that begins with a capital, and makes all letters small.
    ///
    /// Words end where a capital follows, and where the last of several capitals is followed by a
    /// small letter. The first character is taken for a small one, as in Swift's names:
    /// `myURLProperty` becomes `my_url_property`, but `URL` becomes `u_rl`, as there.
    static func convert(_ key: String) -> String {
        let bytes = key.utf8
        guard bytes.contains(where: { $0 >= 0x80 || $0.isUppercase }) else { return key }
        // In ASCII each byte is a character, except that CR and LF together are one character.
        guard bytes.allSatisfy({ $0 < 0x80 && $0 != 13 }) else {
            let characters = Array(key)
            return words(of: characters, isCapital: isCapital, isSmall: isSmall)
                .map { String(characters[$0]).lowercased() }
                .joined(separator: "_")
        }
        let characters = Array(bytes)
        let words = words(of: characters, isCapital: \.isUppercase, isSmall: \.isLowercase)
        var snake: [UInt8] = []
        snake.reserveCapacity(characters.count + words.count)
        for word in words {
            if word.lowerBound > 0 { snake.append(UInt8(ascii: "_")) }
            snake += characters[word].map(\.asciiLowercased)
        }
        return String(decoding: snake, as: UTF8.self)
    }

    /// The positions of the words.
    private static func words<Character>(
        of characters: [Character],
        isCapital: (Character) -> Bool,
        isSmall: (Character) -> Bool
    ) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var wordStart = 0
        var next = 1
        while next < characters.count,
            let capital = characters[next...].firstIndex(where: isCapital)
        {
            words.append(wordStart..<capital)
            guard let small = characters[capital...].firstIndex(where: isSmall) else {
                wordStart = capital
                break
            }
            if small == capital + 1 {
                wordStart = capital
            } else {
                words.append(capital..<small - 1)
                wordStart = small - 1
            }
            next = small + 1
        }
        words.append(wordStart..<characters.count)
        return words
    }

    /// Whether a character has the category Lu or Lt, as in `CharacterSet.uppercaseLetters`.
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
