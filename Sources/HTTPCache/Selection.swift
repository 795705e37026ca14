internal import SystemKit
package import TransferModel

/// Makes a short text from bytes that does not reveal the bytes; nil on failure.
package typealias Fingerprint = @Sendable ([UInt8]) -> String?

/// The request fields by which a stored response is selected (RFC 9111 §4.1).
///
/// These are the fields in `Vary` and the fields that identify the user, since the cache of one
/// user serves several sessions. Values are kept as fingerprints, because they may be secrets.
package struct Selection: Sendable, Hashable {
    /// A request field and its value at the time of the response.
    package struct Field: Sendable, Hashable {
        /// In lower case.
        package var name: String
        /// The value's fingerprint; nil when the request had no such field.
        package var fingerprint: String?

        /// Creates a field; without `fingerprint` the request lacked it.
        package init(name: String, fingerprint: String?) {
            self.name = name
            self.fingerprint = fingerprint
        }
    }

    /// The fields that another request must have with the same values.
    package var fields: [Field]

    /// Creates a selection; one without fields matches every request.
    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The selection of a response; nil when no fingerprint can be made.
    ///
    /// - Parameters:
    ///   - response: The response's fields.
    ///   - request: The request that the response answers.
    ///   - fingerprint: Makes the fingerprints of values.
    package init?(of response: HeaderFields, to request: CacheRequest, _ fingerprint: Fingerprint) {
        var names = Self.names(in: response)
        // Many servers that encode by `Accept-Encoding` do not name it in `Vary` (RFC 9110
        // §12.5.3).
        if response.firstValue(of: "content-encoding") != nil, !names.contains("accept-encoding") {
            names.append("accept-encoding")
        }
        let isPublic = CacheControl(response).flags.contains(.isPublic)
        for name in request.identifying where !names.contains(name) {
            if !(isPublic && name == "cookie") { names.append(name) }
        }
        fields = request.partition.map { [Field(name: Self.partition, fingerprint: $0)] } ?? []
        for name in names {
            guard let value = Self.normalizedValue(of: name, in: request.fields) else {
                fields.append(Field(name: name, fingerprint: nil))
                continue
            }
            guard let text = fingerprint(Array(value.utf8)) else { return nil }
            fields.append(Field(name: name, fingerprint: text))
        }
    }

    /// Marks `CacheRequest.partition`; no field can have this name.
    private static let partition = ":partition"

    /// The lower-case names of the fields that selected the response.
    package var names: [String] { fields.map(\.name).filter { $0 != Self.partition } }

    /// Whether the response was stored in the request's partition.
    func isOfPartition(of request: CacheRequest) -> Bool {
        fields.first { $0.name == Self.partition }?.fingerprint == request.partition
    }

    /// Whether the stored response may answer another request.
    package func matches(_ request: CacheRequest, _ fingerprint: Fingerprint) -> Bool {
        guard isOfPartition(of: request) else { return false }
        // A response to an anonymous request may differ from the response to a logged-in user.
        for name in request.identifying where name != "cookie" {
            if !fields.contains(where: { $0.name == name }) { return false }
        }
        return fields.allSatisfy { field in
            if field.name == Self.partition { return true }
            guard let value = Self.normalizedValue(of: field.name, in: request.fields) else {
                return field.fingerprint == nil
            }
            return field.fingerprint != nil && fingerprint(Array(value.utf8)) == field.fingerprint
        }
    }

    /// Whether the response can answer no other request; true also when `Vary` has invalid or too
    /// many names.
    package static func variesByAnything(_ response: HeaderFields) -> Bool {
        let names = names(in: response)
        return names.count > mostNames
            || names.contains { $0 == "*" || !$0.utf8.allSatisfy(\.isTokenByte) }
    }

    /// The most names that a stored list has room for, besides the identifying fields.
    private static let mostNames = 50

    /// The names in `Vary`, in lower case, without duplicates.
    static func names(in response: HeaderFields) -> [String] {
        var names: [String] = []
        for value in response.allValues(of: "vary") {
            var cursor = ListCursor(Array(value))
            while let element = cursor.nextElement() {
                let name = String(decoding: element.map(\.asciiLowercased), as: UTF8.self)
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }

    /// Lists whose order and case are insignificant; their weights express the preference (RFC 9110
    /// §12.5).
    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// The joined value of all lines with a name, without insignificant blanks; nil without a line.
    private static func normalizedValue(of name: String, in fields: [HeaderField]) -> String? {
        let values = fields.values(of: name)
        guard !values.isEmpty else { return nil }
        var elements: [String] = []
        for value in values {
            var cursor = ListCursor(Array(value.utf8))
            while let element = cursor.nextElement() {
                elements.append(String(decoding: element, as: UTF8.self))
            }
        }
        if preferences.contains(name) {
            elements = elements.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.sorted()
        }
        return elements.joined(separator: ",")
    }
}
