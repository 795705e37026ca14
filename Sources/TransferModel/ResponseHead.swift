/// The status line and fields of a final response.
package struct ResponseHead: Sendable, Hashable {
    /// 100 to 599 as a server should send it; whatever three digits it did send.
    package var statusCode: Int
    package var fields: HeaderFields

    package init(statusCode: Int, fields: HeaderFields = HeaderFields()) {
        self.statusCode = statusCode
        self.fields = fields
    }

    /// The media type without parameters, in lower case; nil when the response names none.
    package var mimeType: String? {
        guard let value = fields.firstValue(of: "content-type") else { return nil }
        let essence = value.prefix { $0 != 0x3B && $0 != 0x2C && $0 != 0x20 && $0 != 0x09 }
        guard !essence.isEmpty else { return nil }
        guard essence.allSatisfy({ $0 < 0x80 }) else {
            return HeaderFields.text(essence).lowercased()
        }
        return String(decoding: essence.map(\.asciiLowercased), as: UTF8.self)
    }
}
