/// Checksums: `sha256:` and 64 hexadecimal digits.
enum ChecksumText {
    static let pattern = "^sha256:[0-9A-Fa-f]{64}$"

    private static let prefix = Array("sha256:".utf8)

    /// The 32 bytes.
    static func parse(_ text: String) throws(ValueFault) -> [UInt8] {
        guard text.utf8.starts(with: prefix) else { throw wrongAlgorithm(text) }
        let digits = text.utf8.span
        guard digits.count == prefix.count + 64 else { throw wrongDigits }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for index in stride(from: prefix.count, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else {
                throw wrongDigits
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static let wrongDigits = ValueFault(
        .badChecksum,
        "a SHA-256 has 64 hexadecimal digits"
    )

    private static func wrongAlgorithm(_ text: String) -> ValueFault {
        guard let colon = text.firstIndex(of: ":") else {
            let isBare = text.utf8.count == 64 && text.utf8.allSatisfy { value($0) != nil }
            return ValueFault(
                .badChecksum,
                "a checksum names its algorithm",
                likely: isBare ? "sha256:" + text : nil,
                help: "write `sha256:` and 64 hexadecimal digits"
            )
        }
        let algorithm = text[..<colon]
        let isSpelling = ["sha-256", "sha_256", "sha256"].contains(algorithm.lowercased())
        return ValueFault(
            .badChecksum,
            "the algorithm `\(algorithm)` is not known",
            likely: isSpelling ? "sha256" + text[colon...] : nil,
            help: "the one algorithm is `sha256`"
        )
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
