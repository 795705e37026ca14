extension HeaderField {
    /// Fields that may cross to another origin, besides `Accept-…` and `If-…`: any other one may hold a secret.
    private static let harmless: Set<String> = ["accept", "cache-control", "range", "user-agent"]

    /// Whether a field of that name goes along when a redirect leaves the origin; capitals do not matter.
    package static func crossesOrigins(_ name: String) -> Bool {
        let name = name.lowercased()
        return harmless.contains(name) || name.hasPrefix("accept-") || name.hasPrefix("if-")
    }
}
