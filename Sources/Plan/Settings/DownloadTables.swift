internal import JobFile
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
