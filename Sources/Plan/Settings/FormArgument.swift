internal import SystemKit

/// A value as curl's `--form` takes it: `@photo.jpg;type=image/jpeg`, `Hello;type=text/plain`.
struct FormArgument {
    /// The whole value.
    let text: String
    /// The text or the name of the file, without `@` or `<` in front.
    let value: String
    /// Whether the value names a file: by its mark, or by its ending.
    let isFile: Bool
    /// The keys of a part and their values, such as `contentType` and `image/jpeg`.
    let settings: [(String, String)]

    /// The keys of a part by the words of curl.
    private static let keys = ["type": "contentType", "filename": "fileName"]

    /// Takes a value apart; nil for a text without `;type=` and `;filename=`.
    init?(_ text: String) {
        let pieces = text.splitAtBytes(";", omittingEmpty: false)
        let settings = pieces.dropFirst().compactMap { piece -> (String, String)? in
            guard let (word, value) = piece.cut(atFirst: "="), let key = Self.keys[String(word)],
                key == "fileName" || value.utf8.contains(UInt8(ascii: "/"))
            else { return nil }
            return (key, String(value))
        }
        guard let first = pieces.first, !settings.isEmpty, settings.count == pieces.count - 1 else {
            return nil
        }
        let isMarked = first.utf8.first.map { "@<".utf8.contains($0) } ?? false
        let value = String(isMarked ? first.dropFirst() : first)
        self.text = text
        self.value = value
        self.settings = settings
        isFile = isMarked || FileMediaType.of(value) != FileMediaType.unknown
    }
}
