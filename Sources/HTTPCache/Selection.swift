package import TransferModel

/// Makes a short text of bytes from which nobody gets them back; nil when that cannot be done.
package typealias Fingerprint = @Sendable ([UInt8]) -> String?

/// What tells the requests that a stored response may answer from others to its URL (RFC 9111
/// §4.1).
///
/// Besides the fields that `Vary` names it has those that say who asks: a private cache of one
/// person is one of several sessions here. The values are kept as fingerprints, because they may be
/// secrets.
package struct Selection: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// In lower case.
        package var name: String
        /// Of the value; nil when the request had no such field.
        package var fingerprint: String?

        package init(name: String, fingerprint: String?) {
            self.name = name
            self.fingerprint = fingerprint
        }
    }

    package var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The selection of a response; nil when no fingerprint can be made.
    ///
    /// - Parameters:
    ///   - response: Its fields.
    ///   - request: What it answers.
    ///   - fingerprint: Makes texts of values.
    package init?(
        of response: HeaderFields,
        to request: CacheRequest,
        _ fingerprint: Fingerprint
    ) {
        var names = Self.names(in: response)
        // Many a server that codes by what is accepted does not say so (RFC 9110 §12.5.3).
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

    /// Stands for `CacheRequest.partition`; no field has such a name.
    private static let partition = ":partition"

    /// The names of the fields that a response was chosen by, in small letters.
    package var names: [String] { fields.map(\.name).filter { $0 != Self.partition } }

    /// Whether the response was stored for those who have all in common with who asks.
    func isOfPartition(of request: CacheRequest) -> Bool {
        fields.first { $0.name == Self.partition }?.fingerprint == request.partition
    }

    /// Whether another request would have got the same response.
    package func matches(_ request: CacheRequest, _ fingerprint: Fingerprint) -> Bool {
        guard isOfPartition(of: request) else { return false }
        // What nobody was asked to prove may be another content than what somebody is shown.
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

    /// Whether no other request can ever be answered; also where `Vary` has what is no name, or too
    /// many.
    package static func variesByAnything(_ response: HeaderFields) -> Bool {
        let names = names(in: response)
        return names.count > mostNames
            || names.contains { $0 == "*" || !$0.utf8.allSatisfy(\.isTokenByte) }
    }

    /// As many as a list of stored responses has words for, besides those that say who asks.
    private static let mostNames = 50

    /// The names that `Vary` has, in lower case, each once.
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

    /// Lists whose order and capitals mean nothing; what means something is a weight (RFC 9110
    /// §12.5).
    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// The value of all lines of that name together, without blanks that mean nothing; nil without
    /// a line.
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
