internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// MIME types to compare with: `type/subtype` or `type/*`, without parameters (RFC 9110 §8.3.1).
enum MIMETypeText {
    static let pattern = #"^[!#-'*+.^-~0-9A-Za-z-]+/[!#-'*+.^-~0-9A-Za-z-]+$"#

    /// In lower case.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard isMIMEType(text.utf8.span) else {
            let essence = text.prefix { $0 != ";" && $0 != " " }
            throw ValueFault(
                .badMIMEType,
                "`\(text.excerpt)` is not a MIME type",
                likely: essence.count < text.count && essence.containsBytes("/")
                    ? String(essence) : nil,
                help: "write a type without parameters, such as `application/json` or `image/*`"
            )
        }
        return text.lowercased()
    }

    private static func isMIMEType(_ bytes: Span<UInt8>) -> Bool {
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let type = bytes.extracting(..<slash)
        let isAny = slash == 1 && type[0] == UInt8(ascii: "*")
        return type.isToken && !isAny && bytes.extracting((slash + 1)...).isToken
    }
}
