internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// Checksums: an algorithm, a colon and hexadecimal digits.
enum ChecksumText {
    static let pattern = "^(sha256:[0-9A-Fa-f]{64}|sha512:[0-9A-Fa-f]{128})$"
    /// A short form for the help of reports.
    static let example = "sha256:…"

    static func parse(_ text: String) throws(ValueFault) -> Checksum {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let algorithm = Checksum.Algorithm(rawValue: String(text[..<colon]))
        else { throw wrongAlgorithm(text) }
        let bytes = text.utf8.span
        let first = algorithm.rawValue.utf8.count + 1
        guard bytes.count - first == algorithm.size * 2 else { throw wrongDigits(algorithm) }
        var digest: [UInt8] = []
        digest.reserveCapacity(algorithm.size)
        for index in stride(from: first, to: bytes.count, by: 2) {
            guard let high = bytes[index].hexadecimalValue,
                let low = bytes[index + 1].hexadecimalValue
            else { throw wrongDigits(algorithm) }
            digest.append(high << 4 | low)
        }
        return Checksum(algorithm, digest: digest)
    }

    private static func wrongDigits(_ algorithm: Checksum.Algorithm) -> ValueFault {
        ValueFault(
            .badChecksum,
            "a \(algorithm.title) has \(algorithm.size * 2) hexadecimal digits"
        )
    }

    private static func wrongAlgorithm(_ text: String) -> ValueFault {
        guard let colon = text.firstByteIndex(of: ":") else {
            let bare = Checksum.Algorithm.allCases.first { $0.size * 2 == text.utf8.count }
            let isHexadecimal = text.utf8.allSatisfy { $0.hexadecimalValue != nil }
            return ValueFault(
                .badChecksum,
                "a checksum names its algorithm",
                likely: isHexadecimal ? bare.map { "\($0.rawValue):\(text)" } : nil,
                help: "write `sha256:` and 64 hexadecimal digits"
            )
        }
        let algorithm = text[..<colon]
        let letters = algorithm.lowercased().filter { $0 != "-" && $0 != "_" }
        let isURL = text[colon...].hasBytePrefix("://")
        return ValueFault(
            .badChecksum,
            "the algorithm `\(String(algorithm).excerpt)` is not known",
            likely: Checksum.Algorithm(rawValue: letters).map { $0.rawValue + text[colon...] },
            help: isURL
                ? "write `checksum: { from: …, algorithm: sha256 }` for a list of checksums"
                : "the algorithms are `sha256` and `sha512`"
        )
    }
}
