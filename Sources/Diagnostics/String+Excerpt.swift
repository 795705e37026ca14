extension String {
    /// The text for a quote in a message: its first 80 scalars, and `…` if there are more.
    package var excerpt: String {
        let shown = unicodeScalars.prefix(80)
        return shown.endIndex == unicodeScalars.endIndex ? self : String(shown) + "…"
    }
}
