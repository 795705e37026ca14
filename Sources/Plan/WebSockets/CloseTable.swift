internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `close`: how a step closes the connection.
enum CloseTable {
    static let table = SettingTable<ClosingRule>(
        "close",
        [
            Setting(
                "code",
                code,
                default: "1000",
                "The code of the Close frame: 1000 to 1003, 1007 to 1014 or 3000 to 4999."
            ) { $0.code = UInt16($1) },
            Setting(
                "reason",
                text("a reason", limit: 123),
                default: "empty",
                "The reason of the Close frame, at most 123 bytes."
            ) { $0.reason = $1 },
            Setting(
                "expect",
                expectTable,
                "The requirements for the server's Close frame."
            ) { $1(&$0.expectedCodes) },
        ]
    )

    static let expectTable = SettingTable<[UInt16]>(
        "expectedClose",
        [
            Setting(
                "closeCode",
                .oneOrMore(of: .integer(1000...4999)),
                default: "the code of the step, 1000, 1001 or 1005",
                "The codes with which the server may close."
            ) { $0 = $1.map { UInt16($0) } }
        ]
    )

    static let type = ValueType<ClosingRule>(.mapping(table.keys)) { reader, field in
        var rule = ClosingRule()
        reader.apply(table, to: &rule, in: field)
        return rule
    }

    /// The text of a control frame.
    static func text(_ what: String, limit: Int) -> ValueType<String> {
        ValueType(.text(pattern: nil)) { reader, field in
            guard let text = BodyText.bodyText(field, &reader) else { return nil }
            return reader.parsed(text, of: field) { text throws(ValueFault) in
                guard text.utf8.count <= limit else {
                    throw ValueFault(
                        .outOfRange,
                        "\(what) has at most \(limit) bytes (RFC 6455 §5.5), this one "
                            + "\(text.utf8.count)"
                    )
                }
                return text
            }
        }
    }

    /// The codes that a frame may have (RFC 6455 §7.4).
    private static let code = ValueType<Int>(.integer(1000...4999)) { reader, field in
        guard let code = ValueType.integer(1000...4999).read(&reader, field) else { return nil }
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: return code
        default:
            reader.report(
                .outOfRange,
                "`\(field.name)`: no Close frame may have the code \(code) (RFC 6455 §7.4)",
                at: field.node
            )
            return nil
        }
    }
}
