package import TransferModel

/// Which fields of a response are stored, and how newer ones take their place (RFC 9111 §3.1, §3.2).
package enum StoredFields {
    /// About one connection or one proxy, never about the response (RFC 9110 §7.6.1, RFC 9111 §3.1); and cookies, which
    /// are the jar's alone to keep.
    private static let excepted: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// About the stored body, which a confirmation does not change.
    private static let ofBody: Set<String> = [
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
        let added = without(exceptions(in: newer).union(ofBody), newer)
        var replaced: Set<String> = ["age"]
        for field in added.fields { replaced.insert(field.name.lowercased()) }
        var result = without(replaced, stored)
        added.appendLines(to: &result)
        return result
    }

    /// The fields without those of some names in lower case.
    static func without(_ names: Set<String>, _ fields: HeaderFields) -> HeaderFields {
        fields.filtered { name in
            guard name.count <= 64 else { return true }
            let text = String(
                decoding: name.indices.map { name[$0].asciiLowercased },
                as: UTF8.self
            )
            return !names.contains(text)
        }
    }

    private static func exceptions(in fields: HeaderFields) -> Set<String> {
        var names = excepted
        for value in fields.allValues(of: "connection") {
            var cursor = ListCursor(Array(value))
            while let element = cursor.nextElement() {
                names.insert(String(decoding: element.map(\.asciiLowercased), as: UTF8.self))
            }
        }
        return names.union(CacheControl(fields).noCacheFields)
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
            let end = rest.lineEnd
            let line = rest.extracting(first: end)
            if let colon = line.indices.first(where: { line[$0] == UInt8(ascii: ":") }),
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
    /// Where the first line ends.
    fileprivate var lineEnd: Int {
        indices.first { self[$0] == UInt8(ascii: "\n") } ?? count
    }
}
