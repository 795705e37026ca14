internal import SystemKit
package import TransferModel

/// Which fields of a response are stored, and how newer ones take their place (RFC 9111 §3.1, §3.2).
package enum StoredFields {
    /// About one connection or one proxy, never about the response (RFC 9110 §7.6.1, RFC 9111 §3.1).
    private static let excepted = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// About the stored body, which a confirmation does not change.
    private static let ofBody = [
        "content-length", "content-encoding", "content-range", "content-digest",
    ]

    /// The fields of a response that are stored: without those named by `Connection` and `no-cache="…"`.
    package static func storable(_ fields: HeaderFields) -> HeaderFields {
        without(exceptions(in: fields), fields)
    }

    /// The fields of a stored response after a newer response about it.
    ///
    /// `Age` is always the newer one's: it counts from it.
    package static func updated(
        _ stored: HeaderFields,
        by newer: HeaderFields
    ) -> HeaderFields {
        let added = without(exceptions(in: newer) + ofBody, newer)
        var result = stored.filtered { name in
            if name.isName("age") { return false }
            var isReplaced = false
            added.forEach { other, _ in isReplaced = isReplaced || other.isName(name) }
            return !isReplaced
        }
        added.appendLines(to: &result)
        return result
    }

    /// Whether a newer response about a stored one says nothing new but when it was made.
    package static func isRepetition(_ newer: HeaderFields, of stored: HeaderFields) -> Bool {
        var isNew = false
        without(exceptions(in: newer) + ofBody + ["date", "age"], newer).forEach { name, value in
            var isKnown = false
            stored.forEach { other, otherValue in
                isKnown = isKnown || other.isName(name) && otherValue.equals(value)
            }
            isNew = isNew || !isKnown
        }
        return !isNew
    }

    /// The fields without those of some names.
    static func without(_ names: [String], _ fields: HeaderFields) -> HeaderFields {
        fields.filtered { name in
            for other in names where name.isName(other.utf8.span) { return false }
            return true
        }
    }

    private static func exceptions(in fields: HeaderFields) -> [String] {
        var names = excepted
        for value in fields.allValues(of: "connection") {
            var cursor = ListCursor(Array(value))
            while let element = cursor.nextElement() {
                names.append(String(decoding: element, as: UTF8.self))
            }
        }
        return names + CacheControl(fields).noCacheFields
    }
}

extension HeaderFields {
    /// The lines whose name passes, as they are.
    fileprivate func filtered(_ isIncluded: (Span<UInt8>) -> Bool) -> HeaderFields {
        var result = HeaderFields()
        let bytes = lines
        let span = bytes.span
        var start = 0
        while start < span.count {
            let rest = span.extracting(droppingFirst: start)
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
            let line = rest.extracting(first: end)
            if let colon = line.firstIndex(of: UInt8(ascii: ":")),
                isIncluded(line.extracting(first: colon))
            {
                result.append(line: line)
            }
            start += end + 1
        }
        return result
    }

    fileprivate func appendLines(to other: inout HeaderFields) {
        let bytes = lines
        other.append(sentLines: bytes.span)
    }
}

extension Span<UInt8> {
    /// Whether both are one name, capitals aside.
    fileprivate func isName(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].asciiLowercased != other[index].asciiLowercased {
            return false
        }
        return true
    }

    fileprivate func isName(_ other: String) -> Bool { isName(other.utf8.span) }
}
