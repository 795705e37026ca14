internal import Diagnostics
internal import SystemKit
internal import TransferModel

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

/// The media type of a file that is sent, as the ending of its name says.
enum FileMediaType {
    /// The type of a file without a known ending: any bytes (RFC 2046 §4.5.1).
    static let unknown = "application/octet-stream"

    /// The known endings; a text has no `charset`, because the name of its file does not say that.
    static let known = [
        "csv": "text/csv",
        "gif": "image/gif",
        "gz": "application/gzip",
        "htm": "text/html",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "json": "application/json",
        "jsonl": "application/x-ndjson",
        "md": "text/markdown",
        "ndjson": "application/x-ndjson",
        "pdf": "application/pdf",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tsv": "text/tab-separated-values",
        "txt": "text/plain",
        "webp": "image/webp",
        "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
    ]

    /// The type of a file at a path, by the text after the last dot of its name, capitals
    /// aside.
    static func of(_ path: String) -> String {
        let name = AbsolutePath.lastComponent(of: path).utf8
        // A dot in front hides a file, and ends no name.
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
            let ending = String(name[name.index(after: dot)...])
        else { return unknown }
        return known[ending.lowercased()] ?? unknown
    }
}
