internal import SystemKit
internal import TransferModel

/// The fields of resumable uploads, in requests and responses.
///
/// They are structured fields (RFC 9651); a malformed or repeated field counts as missing.
struct UploadFields: Equatable {
    static let versionName = "Upload-Draft-Interop-Version"

    /// The version as in the response; it may be unknown here.
    var version: String?
    /// The number of bytes that the server has, from the first one on.
    var offset: Int64?
    /// Whether the server has the whole body.
    var isComplete: Bool?
    /// The most bytes of one further request.
    var maximumAppendSize: Int64?

    /// Reads the fields of a response.
    init(_ fields: HeaderFields) {
        version = Self.only(fields, Self.versionName)
        offset = Self.only(fields, "Upload-Offset").flatMap(Self.size)
        // Some servers use the name of another version than their own.
        isComplete =
            Self.only(fields, "Upload-Complete").flatMap(Self.boolean)
            ?? Self.only(fields, "Upload-Incomplete").flatMap(Self.boolean).map { !$0 }
        maximumAppendSize = Self.only(fields, "Upload-Limit").flatMap {
            Self.member("max-append-size", of: $0).flatMap(Self.size)
        }
    }

    /// The fields of a request that carries a part of the body or all of it.
    static func sending(
        _ version: UploadVersion,
        from offset: Int64?,
        isLast: Bool,
        total: Int64
    ) -> [HeaderField] {
        var fields = [HeaderField(name: versionName, value: "\(version.rawValue)")]
        switch version {
        case .v3:
            fields.append(HeaderField(name: "Upload-Incomplete", value: isLast ? "?0" : "?1"))
        case .v5, .v6, .v7, .v8:
            fields.append(HeaderField(name: "Upload-Complete", value: isLast ? "?1" : "?0"))
        }
        guard let offset else {
            if version.namesLengthAndType {
                fields.append(HeaderField(name: "Upload-Length", value: "\(total)"))
            }
            return fields
        }
        fields.append(HeaderField(name: "Upload-Offset", value: "\(offset)"))
        if version.namesLengthAndType {
            fields.append(HeaderField(name: "Content-Type", value: "application/partial-upload"))
        }
        return fields
    }

    /// Whether a field of the job belongs to the protocol, which is then left to the job.
    static func isOwn(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasBytePrefix("upload-") || name == "content-range"
    }

    // MARK: Structured fields

    /// The value of a field that occurs once; nil otherwise.
    private static func only(_ fields: HeaderFields, _ name: String) -> String? {
        let values = fields.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// An integer (RFC 9651 §3.3.1) of at most 15 digits; ignores its parameters.
    static func integer(_ text: String) -> Int64? {
        var digits = item(text).utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard (1...15).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
        return isNegative ? -number : number
    }

    private static func size(_ text: String) -> Int64? {
        integer(text).flatMap { $0 < 0 ? nil : $0 }
    }

    /// A boolean (RFC 9651 §3.3.6).
    private static func boolean(_ text: String) -> Bool? {
        switch item(text) {
        case "?0": false
        case "?1": true
        default: nil
        }
    }

    /// An item without its parameters.
    private static func item(_ text: String) -> Substring {
        trimmed(text.splitAtBytes(";", omittingEmpty: false)[0])
    }

    /// The last value of a key in a dictionary (RFC 9651 §3.2) whose values are numbers.
    private static func member(_ name: String, of dictionary: String) -> String? {
        var found: String?
        for member in dictionary.splitAtBytes(",") {
            let sides = member.splitAtBytes("=", maxSplits: 1)
            if sides.count == 2, trimmed(sides[0]) == name { found = String(sides[1]) }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text.drop { $0 == " " || $0 == "\t" }
    }
}

extension TransactionMetrics.InformationalResponse {
    /// Keeps a head's status and fields; of a 104 (Upload Resumption Supported) the offset alone.
    init(_ head: ResponseHead, at date: Timestamp) {
        let isUpload = head.statusCode == 104
        self.init(
            statusCode: head.statusCode,
            date: date,
            uploadOffset: isUpload ? UploadFields(head.fields).offset : nil,
            fields: isUpload ? HeaderFields() : head.fields
        )
    }
}

extension UploadVersion {
    /// Reads the value of `Upload-Draft-Interop-Version`.
    init?(text: String) {
        guard let number = UploadFields.integer(text), let version = Self(rawValue: Int(number))
        else { return nil }
        self = version
    }
}
