internal import SystemKit

/// The status line and fields of a final response.
package struct ResponseHead: Sendable, Hashable {
    /// 100 to 599 from a correct server; any three digits are possible.
    package var statusCode: Int
    /// The field lines as received, without the status line.
    package var fields: HeaderFields

    /// Creates a head from a status and its field lines.
    package init(statusCode: Int, fields: HeaderFields = HeaderFields()) {
        self.statusCode = statusCode
        self.fields = fields
    }

    /// Whether the status excludes content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    package var hasNoContent: Bool { [204, 205, 304].contains(statusCode) }

    /// The media type without parameters, in lower case; nil if missing.
    package var mimeType: String? {
        guard let value = fields.firstValue(of: "content-type") else { return nil }
        let essence = value.prefix { $0 != 0x3B && $0 != 0x2C && !$0.isBlank }
        guard !essence.isEmpty else { return nil }
        guard essence.allSatisfy({ $0 < 0x80 }) else {
            return HeaderFields.text(essence).lowercased()
        }
        return String(decoding: essence.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The `charset` parameter of the media type, without quotes (RFC 9110 §8.3.2); nil if missing.
    package var charset: String? {
        guard let parameters = fields["content-type"]?.splitAtBytes(";").dropFirst() else {
            return nil
        }
        for parameter in parameters {
            let parts = parameter.splitAtBytes("=", maxSplits: 1).map { part in
                String(part.unicodeScalars.drop { $0 == " " || $0 == "\t" })
            }
            guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
            let name = String(
                String.UnicodeScalarView(
                    parts[1].unicodeScalars.filter { $0 != "\"" && $0 != " " && $0 != "\t" }
                )
            )
            return name.isEmpty ? nil : name
        }
        return nil
    }
}
