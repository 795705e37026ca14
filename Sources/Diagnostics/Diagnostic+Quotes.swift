internal import SystemKit

extension Diagnostic {
    /// The dots that a reader sees instead of a hidden text, however long that is.
    package static let dots = "•••"

    /// The diagnostic with other texts in its quotes: only text in backticks is from a file.
    ///
    /// Advice and edits of which a part is hidden are useless, and dropped.
    ///
    /// - Parameters:
    ///   - shown: Gives the text to show for a quote of the message.
    ///   - elsewhere: Gives the text to show for a quote of the advice, of an edit or of a note.
    /// - Returns: The diagnostic as it is shown.
    package func mappingQuotes(
        _ shown: (String) -> String,
        elsewhere: (String) -> String
    ) -> Diagnostic {
        var diagnostic = self
        diagnostic.message = Self.mappingQuotes(of: message, shown)
        let help = help.map { Self.mappingQuotes(of: $0, elsewhere) }
        diagnostic.help = help?.containsBytes(Self.dots) == true ? nil : help
        if let fixIt, elsewhere(fixIt.replacement) != fixIt.replacement { diagnostic.fixIt = nil }
        // The notes about rows name tasks and data files.
        for index in notes.indices where !isAboutData {
            diagnostic.notes[index].message = Self.mappingQuotes(
                of: notes[index].message,
                elsewhere
            )
        }
        return diagnostic
    }

    private static func mappingQuotes(of text: String, _ shown: (String) -> String) -> String {
        let parts = text.splitAtBytes("`", omittingEmpty: false)
        // An odd backtick is from the file: then any part may be.
        let isWhole = parts.count % 2 == 0
        return parts.enumerated()
            .map { index, part in
                isWhole || index % 2 != 0 ? shown(String(part)) : String(part)
            }
            .joined(separator: "`")
    }
}
