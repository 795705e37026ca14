internal import JobFile
internal import TransferModel

/// What `network` says.
struct NetworkDraft: Sendable {
    var interfaces: [InterfaceRule] = []
}

/// `network`: what the machine's interfaces are, where nobody else knows.
enum NetworkTable {
    static let table = SettingTable<NetworkDraft>(
        "network",
        [
            Setting(
                "interfaces",
                .list(of: rule),
                default: "[]",
                "What interfaces are; of each property the first rule that fits and says something decides."
            ) { $0.interfaces = $1 }
        ]
    )

    static let rules = SettingTable<InterfaceRule>(
        "interfaceRule",
        [
            Setting("match", match, isRequired: true, "Which interfaces are meant.") {
                $0.match = $1
            },
            Setting("kind", .choice(), "What they are.") { $0.kind = $1 },
            Setting(
                "expensive",
                .boolean,
                default: "true of cellular ones",
                "Whether their use is paid for by the amount."
            ) { $0.isExpensive = $1 },
            Setting(
                "constrained",
                .boolean,
                default: "false",
                "Whether they are to be used as little as can be."
            ) { $0.isConstrained = $1 },
        ]
    )

    static let matches = SettingTable<InterfaceRule.Match>(
        "interfaceMatch",
        [
            Setting(
                "name",
                ValueType(pattern: "^[^/\\s]{1,15}$", parse: name),
                "Their name, in which `*` and `?` stand for any characters and for one."
            ) { $0.name = $1 },
            Setting(
                "macAddress",
                ValueType(pattern: "^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", parse: macAddress),
                "Their hardware address, such as `02:00:5e:10:00:01`."
            ) { $0.macAddress = $1 },
            Setting(
                "driver",
                ValueType(pattern: "^[A-Za-z0-9_-]+$", parse: driver),
                "The kernel's name of their driver, such as `cdc_mbim`."
            ) { $0.driver = $1 },
        ] + ["ssid", "gateway", "connection"].map(Setting.notYet)
    )

    private static let rule = ValueType<InterfaceRule>(.mapping(rules.keys)) { reader, field in
        guard reader.isMapping(field) else { return nil }
        let errors = reader.errorCount
        var rule = InterfaceRule(match: .init())
        // What is missing is missing in the entry, not in the list.
        reader.apply(
            rules,
            to: &rule,
            in: Field(name: field.name, key: field.node, node: field.node)
        )
        return reader.errorCount == errors ? rule : nil
    }

    private static let match = ValueType<InterfaceRule.Match>(.mapping(matches.keys)) {
        reader,
        field in
        guard reader.isMapping(field) else { return nil }
        let errors = reader.errorCount
        var match = InterfaceRule.Match()
        reader.apply(matches, to: &match, in: field)
        guard reader.errorCount == errors else { return nil }
        guard !match.isEmpty else {
            report(field, &reader)
            return nil
        }
        return match
    }

    private static func report(_ field: Field, _ reader: inout Reader) {
        reader.report(
            .missingKey,
            "one of the keys `name`, `macAddress`, `driver` in `\(field.name)` is required",
            at: field.key
        )
    }

    private static func name(_ text: String) throws(ValueFault) -> String {
        let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        guard isName, (1...15).contains(text.utf8.count) else {
            throw ValueFault(
                .badValue,
                "the name of an interface has 1 to 15 bytes, no slash and no blank"
            )
        }
        return text
    }

    private static func macAddress(_ text: String) throws(ValueFault) -> String {
        let parts = text.split(whereSeparator: { $0 == ":" || $0 == "-" }).map { $0.lowercased() }
        let areBytes = parts.allSatisfy {
            $0.utf8.count == 2 && $0.first != "+" && UInt8($0, radix: 16) != nil
        }
        guard parts.count == 6, areBytes else {
            throw ValueFault(
                .badValue,
                "a hardware address is six bytes in hexadecimal, such as `02:00:5e:10:00:01`"
            )
        }
        return parts.joined(separator: ":")
    }

    private static func driver(_ text: String) throws(ValueFault) -> String {
        let isName = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, !text.isEmpty else {
            throw ValueFault(.badValue, "the name of a driver has letters, digits, `_` and `-`")
        }
        return text
    }
}
