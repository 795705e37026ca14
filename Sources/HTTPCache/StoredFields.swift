internal import SystemKit
package import TransferModel

/// Which fields of a response are stored, and how newer ones take their place (RFC 9111 §3.1,
/// §3.2).
package enum StoredFields {
    /// About one connection or one proxy, never about the response (RFC 9110 §7.6.1, RFC 9111
    /// §3.1).
    private static let excepted = FieldLines(names: [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ])
    /// About the stored body, which a confirmation does not change.
    private static let ofBody = FieldLines(names: [
        "content-length", "content-encoding", "content-range", "content-digest",
    ])
    /// When a response was made, which the next one always says otherwise.
    private static let ofTime = FieldLines(names: ["date", "age"])
    private static let age = FieldLines(names: ["age"])

    /// The fields of a response that are stored: without those named by `Connection` and
    /// `no-cache="…"`.
    package static func storable(_ fields: HeaderFields) -> HeaderFields {
        FieldLines(fields).without(exceptions(in: fields, CacheControl(fields))).fields()
    }

    /// The fields of a stored response after a newer response about it.
    ///
    /// `Age` is always the newer one's: it counts from it.
    ///
    /// - Parameters:
    ///   - stored: The fields so far.
    ///   - newer: Those of the newer response.
    ///   - control: What these direct.
    /// - Returns: The fields, and whether the newer response says nothing new but when it was made.
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

    /// The fields without those of some names.
    static func without(_ names: [String], _ fields: HeaderFields) -> HeaderFields {
        FieldLines(fields).without(FieldLines(names: names)).fields()
    }

    private static func exceptions(in fields: HeaderFields, _ control: CacheControl) -> FieldLines {
        var names = excepted
        // Most say no more than that, which is excepted anyway.
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
