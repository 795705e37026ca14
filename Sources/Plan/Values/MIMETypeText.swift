internal import Diagnostics

/// MIME types to compare with: `type/subtype` or `type/*`, without parameters (RFC 9110 §8.3.1).
enum MIMETypeText {
    static let pattern = #"^[!#-'*+.^-~0-9A-Za-z-]+/[!#-'*+.^-~0-9A-Za-z-]+$"#

    /// In lower case.
    static func parse(_ text: String) throws(ValueFault) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy(HeaderRule.isToken), parts[0] != "*" else {
            let essence = text.prefix { $0 != ";" && $0 != " " }
            throw ValueFault(
                .badMIMEType,
                "`\(text.excerpt)` is not a MIME type",
                likely: essence.count < text.count && essence.contains("/") ? String(essence) : nil,
                help: "write a type without parameters, such as `application/json` or `image/*`"
            )
        }
        return text.lowercased()
    }
}
