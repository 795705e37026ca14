extension String {
    /// The text for a quote in a message: its first 80 scalars, and `…` if there are more; without
    /// backticks, which would end the quote.
    package var excerpt: String {
        let shown = unicodeScalars.prefix(80)
        let excerpt = shown.endIndex == unicodeScalars.endIndex ? self : String(shown) + "…"
        guard excerpt.utf8.contains(UInt8(ascii: "`")) else { return excerpt }
        return String(excerpt.map { $0 == "`" ? "'" : $0 })
    }
}
