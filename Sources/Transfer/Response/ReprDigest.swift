internal import SystemKit
internal import TransferModel

/// The digests in a response: `Repr-Digest`, and `Content-Digest` for a complete one (RFC 9530).
enum ReprDigest {
    /// The expected digest of the stored body; nil without a digest that can be trusted.
    ///
    /// `isWhole` says that the body is the whole representation: a range's `Content-Digest` covers
    /// only the range (RFC 9530 §2).
    static func announced(in fields: HeaderFields, isWhole: Bool) -> Checksum? {
        let names = isWhole ? ["repr-digest", "content-digest"] : ["repr-digest"]
        for name in names {
            guard fields.firstValue(of: name) != nil else { continue }
            if let checksum = checksum(in: fields.allValues(of: name)) { return checksum }
        }
        return nil
    }

    /// A digest as the field names it.
    static func text(of checksum: Checksum) -> String {
        let name =
            switch checksum.algorithm {
            case .sha256: "sha-256"
            case .sha512: "sha-512"
            }
        return "\(name)=:\(Base64.encode(checksum.digest)):"
    }

    /// The digest in the text of a field; nil without one.
    static func checksum(in text: String) -> Checksum? { checksum(in: [Array(text.utf8)[...]]) }

    /// The digest in a dictionary of byte sequences (RFC 8941 §3.2), SHA-256 before SHA-512; the
    /// last of duplicate keys counts.
    private static func checksum(in values: [ArraySlice<UInt8>]) -> Checksum? {
        var found: [Checksum.Algorithm: [UInt8]] = [:]
        // Byte sequences and their usual parameters contain no commas.
        for member in values.flatMap({ $0.split(separator: UInt8(ascii: ",")) }) {
            let text = member.filter { !$0.isBlank }
            guard let algorithm = algorithm(of: text) else { continue }
            let value = text.drop { $0 != UInt8(ascii: "=") }.dropFirst().prefix {
                $0 != UInt8(ascii: ";")
            }
            guard value.count >= 2, value.first == UInt8(ascii: ":"),
                value.last == UInt8(ascii: ":"),
                let digest = Base64.decode(value.dropFirst().dropLast()),
                digest.count == algorithm.size
            else { return nil }
            found[algorithm] = digest
        }
        return Checksum.Algorithm.allCases.lazy.compactMap { algorithm in
            found[algorithm].map { Checksum(algorithm, digest: $0) }
        }.first
    }

    /// The collision-resistant names in the registry of RFC 9530 §5.
    private static func algorithm(of member: [UInt8]) -> Checksum.Algorithm? {
        if member.starts(with: "sha-256=".utf8) { return .sha256 }
        if member.starts(with: "sha-512=".utf8) { return .sha512 }
        return nil
    }
}
