/// Checksums: `sha256:` and 64 hexadecimal digits.
enum ChecksumText {
    static let pattern = "^sha256:[0-9A-Fa-f]{64}$"

    /// The 32 bytes.
    static func parse(_ text: String) throws(ValueFault) -> [UInt8] {
        let digits = text.utf8
        guard let colon = digits.firstIndex(of: UInt8(ascii: ":")) else {
            let isBare = digits.count == 64 && digits.allSatisfy { value($0) != nil }
            throw ValueFault(
                .badChecksum,
                "a checksum names its algorithm",
                likely: isBare ? "sha256:" + text : nil,
                help: "write `sha256:` and 64 hexadecimal digits"
            )
        }
        let algorithm = text[..<colon]
        guard algorithm == "sha256" else {
            let isSpelling = ["sha-256", "sha_256", "sha256"].contains(algorithm.lowercased())
            throw ValueFault(
                .badChecksum,
                "the algorithm `\(String(algorithm))` is not known",
                likely: isSpelling ? "sha256" + text[colon...] : nil,
                help: "the one algorithm is `sha256`"
            )
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for digit in digits[digits.index(after: colon)...] {
            guard let value = value(digit) else { throw wrongDigits }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard bytes.count == 32, high == nil else { throw wrongDigits }
        return bytes
    }

    private static let wrongDigits = ValueFault(
        .badChecksum,
        "a SHA-256 has 64 hexadecimal digits"
    )

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
