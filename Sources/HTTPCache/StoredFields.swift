internal import SystemKit
package import TransferModel

/// Selects the stored fields of a response and replaces them by newer fields (RFC 9111 §3.1, §3.2).
package enum StoredFields {
    /// Fields about one connection or one proxy, not about the response (RFC 9110 §7.6.1, RFC 9111
    /// §3.1).
    private static let excepted = FieldLines(names: [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ])
    /// Fields about the stored body, which a confirmation does not change.
    private static let ofBody = FieldLines(names: [
        "content-length", "content-encoding", "content-range", "content-digest",
    ])
    /// Fields about the time of the response, which differ in each response.
    private static let ofTime = FieldLines(names: ["date", "age"])
    private static let age = FieldLines(names: ["age"])

    /// The stored fields of a response: all except those that `Connection` and `no-cache="…"` name.
    package static func storable(_ fields: HeaderFields) -> HeaderFields {
        FieldLines(fields).without(exceptions(in: fields, CacheControl(fields))).fields()
    }

    /// Merges the fields of a newer response into those of a stored response.
    ///
    /// `Age` always comes from the newer response, because the new age starts there.
    ///
    /// - Parameters:
    ///   - stored: The fields so far.
    ///   - newer: The fields of the newer response.
    ///   - control: The directives in `newer`.
    /// - Returns: The fields, and whether the newer response changes nothing but its date.
    package static func updated(
        _ stored: HeaderFields,
        by newer: HeaderFields,
        _ control: CacheControl
    ) -> (fields: HeaderFields, isRepetition: Bool) {
        let old = FieldLines(stored)
        let added = FieldLines(newer).without(exceptions(in: newer, control)).without(ofBody)
        return (
            old.without(age).without(added).fields(and: added),
            added.without(ofTime).isPart(of: old)
        )
    }

    /// The fields except those with some names.
    static func without(_ names: [String], _ fields: HeaderFields) -> HeaderFields {
        FieldLines(fields).without(FieldLines(names: names)).fields()
    }

    /// The fields that describe a response without its body (RFC 9110 §15.4.5).
    static func ofNotModified(_ fields: HeaderFields) -> HeaderFields {
        FieldLines(fields).only(aboutResponse).fields()
    }

    private static let aboutResponse = FieldLines(names: [
        "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified",
        "vary",
    ])

    private static func exceptions(in fields: HeaderFields, _ control: CacheControl) -> FieldLines {
        var names = excepted
        // Most values are only `keep-alive`, which is excluded anyway.
        for value in fields.allValues(of: "connection")
        where !value.elementsEqual("keep-alive".utf8) {
            var cursor = ListCursor(Array(value))
            while let element = cursor.nextElement() {
                names.insert(String(decoding: element, as: UTF8.self))
            }
        }
        for name in control.noCacheFields { names.insert(name) }
        return names
    }
}
