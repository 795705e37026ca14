internal import Diagnostics
internal import TransferModel

/// Patterns of origins and of URLs.
enum PatternText {
    /// Origins as the JSON Schema has them.
    static let originPattern = "^\(OriginPattern.form)$"

    /// The origins that a text describes.
    static func parseOrigin(_ text: String) throws(ValueFault) -> OriginPattern {
        if let pattern = OriginPattern(text) { return pattern }
        throw ValueFault(
            .badURL,
            "`\(text.excerpt)` is not a pattern of origins",
            help: "write a scheme, a host and perhaps a port, such as `https://*.example.com` or "
                + "`*://10.0.0.1:*`; `*` alone matches every origin"
        )
    }

    /// The URLs that a text describes.
    static func parseURL(_ text: String) throws(ValueFault) -> URLPattern {
        if let pattern = URLPattern(text) { return pattern }
        throw ValueFault(
            .badURL,
            "`\(text.excerpt)` is not a pattern of URLs",
            help: "write an origin and perhaps a path, such as `https://*.example.com/images/*`"
        )
    }
}
