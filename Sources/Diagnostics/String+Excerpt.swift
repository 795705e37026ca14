extension String {
    /// The text as a message may quote it: its first 80 scalars, and `…` when there are more.
    package var excerpt: String {
        let shown = unicodeScalars.prefix(80)
        return shown.endIndex == unicodeScalars.endIndex ? self : String(shown) + "…"
    }
}
