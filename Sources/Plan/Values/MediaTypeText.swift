internal import Diagnostics
internal import SystemKit

/// Values of `Content-Type` (RFC 9110 §8.3): a type, with parameters or without.
enum MediaTypeText {
    static let pattern = #"^[!#-'*+.^-~0-9A-Za-z-]+/[!#-'*+.^-~0-9A-Za-z-]+ *(;.*)?$"#

    static func parse(_ text: String) throws(ValueFault) -> String {
        try HeaderRule.checkValue(text)
        let essence = text.prefix { $0 != ";" && $0 != " " }
        let rest = text.dropFirst(essence.count).drop { $0 == " " }
        let parts = essence.splitAtBytes("/", omittingEmpty: false)
        guard parts.count == 2, parts.allSatisfy({ HeaderRule.isToken(String($0)) }),
            rest.isEmpty || rest.first == ";"
        else {
            throw ValueFault(
                .badMIMEType,
                "`\(text.excerpt)` is not a MIME type",
                help: "write a type such as `image/png` or `text/csv; charset=utf-8`"
            )
        }
        return text
    }
}
