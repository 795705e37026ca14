internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// `checksum`: the digest itself, or where it is listed.
enum ChecksumTable {
    /// A `checksum` mapping while it is read.
    struct Draft: Sendable {
        var url: TransferURL?
        var algorithm: Checksum.Algorithm?
        var name: String?
    }

    static let table = SettingTable<Draft>(
        "checksum",
        [
            Setting(
                "from",
                URLType.type,
                isRequired: true,
                "An absolute http or https URL of a checksum list in the format of `sha256sum`."
            ) { $0.url = $1 },
            Setting(
                "algorithm",
                .choice(),
                isRequired: true,
                "The algorithm of the list's digests."
            ) { $0.algorithm = $1 },
            Setting(
                "name",
                .text,
                default: .words("the file's names"),
                "The name of the entry in the list."
            ) { $0.name = $1 },
        ]
    )

    static let type = ValueType<TaskSpec.ExpectedChecksum>(
        .either(
            .text(pattern: ChecksumText.pattern, example: ChecksumText.example),
            .mapping(table.keys)
        )
    ) { reader, field in
        guard reader.document.kind(of: field.node) == .mapping else {
            return reader.text(field)
                .flatMap { reader.parsed($0, of: field, ChecksumText.parse) }
                .map { .digest($0) }
        }
        var draft = Draft()
        reader.apply(table, to: &draft, in: field)
        guard let url = draft.url, let algorithm = draft.algorithm else { return nil }
        return .listed(SumsFile(url: url, algorithm: algorithm, name: draft.name))
    }
}

/// `mode`: the permission bits of a published file.
enum FileModeType {
    static let type = ValueType<UInt16>(.text(pattern: FileModeText.pattern)) { reader, field in
        guard let scalar = reader.scalar(field) else { return nil }
        // Without quotes most YAML readers take it for a number, some for a decimal and some for an
        // octal one.
        if !scalar.isFilledIn, reader.document.isPlain(field.node) {
            reader.reportType(
                field,
                "octal digits in quotes",
                found: scalar,
                likely: FileModeText.likely(scalar.text)
            )
            return nil
        }
        return reader.parsed(scalar.text, of: field, FileModeText.parse)
    }
}

/// `segments`: over how many connections a file is fetched at the same time.
enum SegmentsType {
    private static let number = ValueType<Int>.integer(1...TaskSpec.Segments.most)

    static let type = ValueType<TaskSpec.Segments>(
        .either(.integer(1...TaskSpec.Segments.most), .choice(["auto"]))
    ) { reader, field in
        guard let scalar = reader.scalar(field) else { return nil }
        if scalar.text == "auto" { return .automatic }
        if case .string = Scalar(plain: scalar.text) {
            reader.reportType(field, "an integer or `auto`", found: scalar, likely: nil)
            return nil
        }
        return number.read(&reader, field).map { .count($0) }
    }
}

/// Permission bits in octal, as chmod takes them: `"0644"`.
enum FileModeText {
    static let pattern = "^0?[0-7]{3}$"

    /// Only read, write and execute: a file from elsewhere is never given its owner's rights
    /// (setuid) or the like.
    static func parse(_ text: String) throws(ValueFault) -> UInt16 {
        let digits =
            text.utf8.count == 4 && text.utf8.first == UInt8(ascii: "0")
            ? text.dropFirst() : text[...]
        guard digits.utf8.count == 3, let mode = UInt16(digits, radix: 8), mode <= 0o777,
            digits.utf8.allSatisfy({ (48...55).contains($0) })
        else {
            let isSpecial = text.utf8.count == 4 && UInt16(text, radix: 8) != nil
            throw ValueFault(
                .badValue,
                isSpecial
                    ? "`\(text.excerpt)` has bits besides those of reading, writing and executing"
                    : "`\(text.excerpt)` is not a file mode",
                help: "write a zero and three octal digits, such as `\"0644\"`"
            )
        }
        return mode
    }

    /// The likely meaning of an integer such as `644` or `0o644`, in the notation of the job file.
    static func likely(_ text: String) -> String? {
        let digits = text.withoutBytePrefix("0o") ?? text[...]
        guard let mode = try? parse(String(digits)) else { return nil }
        return "\"\(mode.padded(to: 4, radix: 8))\""
    }
}

/// Checksums: an algorithm, a colon and hexadecimal digits.
enum ChecksumText {
    static let pattern = "^(sha256:[0-9A-Fa-f]{64}|sha512:[0-9A-Fa-f]{128})$"
    /// For the help of reports and the schema.
    static let example = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

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
