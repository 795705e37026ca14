internal import JobFile
internal import SystemKit
internal import TransferModel

/// The settings of `network`.
struct NetworkDraft: Sendable {
    var interfaces: [InterfaceRule] = []
}

/// `network`: facts about the machine's interfaces that the kernel does not know.
enum NetworkTable {
    static let table = SettingTable<NetworkDraft>(
        "network",
        [
            Setting(
                "interfaces",
                .list(of: rule),
                default: "[]",
                "Rules for network interfaces; the first matching rule that sets a property "
                    + "decides it."
            ) { $0.interfaces = $1 }
        ]
    )

    static let rules = SettingTable<InterfaceRule>(
        "interfaceRule",
        [
            Setting("match", match, isRequired: true, "The interfaces that the rule is for.") {
                $0.match = $1
            },
            Setting("kind", ValueType<Kind>.choice(), "The kind of these interfaces.") {
                $0.kind = InterfaceKind(rawValue: $1.rawValue)
            },
            Setting(
                "expensive",
                .boolean,
                default: .words("true for cellular interfaces"),
                "Whether traffic over these interfaces costs money."
            ) { $0.isExpensive = $1 },
            Setting(
                "constrained",
                .boolean,
                default: "false",
                "Whether these interfaces should carry as little traffic as possible."
            ) { $0.isConstrained = $1 },
        ]
    )

    /// Not `loopback`: traffic on the machine is always permitted, and a device's would be, too.
    private enum Kind: String, CaseIterable {
        case wired, wifi, cellular, bluetooth, tunnel, other
    }

    static let matches = SettingTable<InterfaceRule.Match>(
        "interfaceMatch",
        [
            Setting(
                "name",
                ValueType(pattern: "^[^/\\s]{1,15}$", parse: name),
                "The interface name; `*` matches any characters and `?` matches one."
            ) { $0.name = $1 },
            Setting(
                "macAddress",
                ValueType(pattern: "^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", parse: macAddress),
                "The hardware address, such as `02:00:5e:10:00:01`."
            ) { $0.macAddress = $1 },
            Setting(
                "driver",
                ValueType(pattern: "^[A-Za-z0-9_-]+$", parse: driver),
                "The kernel's name of the driver, such as `cdc_mbim`."
            ) { $0.driver = $1 },
            Setting(
                "ssid",
                ValueType(pattern: "^.{1,32}$", parse: ssid),
                "The name of the connected Wi-Fi network, with `*` and `?` as in `name`."
            ) { $0.ssid = $1 },
            Setting(
                "gateway",
                ValueType(pattern: "^[0-9A-Fa-f.:]+$", parse: gateway),
                "The gateway address of a default route over the interface, such as `192.168.8.1`."
            ) { $0.gateway = $1 },
            Setting(
                "connection",
                ValueType(pattern: "^.+$", parse: connection),
                "The name or UUID of the interface's NetworkManager connection, with `*` and `?` "
                    + "as in `name`."
            ) { $0.connection = $1 },
        ]
    )

    private static let rule = ValueType<InterfaceRule>(.mapping(rules.keys)) { reader, field in
        guard reader.isMapping(field) else { return nil }
        // A missing key is reported at the entry, not at the list.
        let entry = Field(name: field.name, key: field.node, node: field.node)
        return reader.value(InterfaceRule(match: .init()), with: rules, in: entry)
    }

    private static let match = ValueType<InterfaceRule.Match>(.mapping(matches.keys)) {
        reader,
        field in
        guard reader.isMapping(field),
            let match = reader.value(InterfaceRule.Match(), with: matches, in: field)
        else { return nil }
        guard !match.isEmpty else {
            report(field, &reader)
            return nil
        }
        return match
    }

    private static func report(_ field: Field, _ reader: inout Reader) {
        let names = matches.keys.names.map { "`\($0)`" }.joined(separator: ", ")
        reader.report(
            .missingKey,
            "one of the keys \(names) in `\(field.name)` is required",
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
        let parts = text.splitAtBytes(":", "-").map { $0.lowercased() }
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
            $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        guard isName, !text.isEmpty else {
            throw ValueFault(.badValue, "the name of a driver has letters, digits, `_` and `-`")
        }
        return text
    }

    private static func ssid(_ text: String) throws(ValueFault) -> String {
        guard isLine(text), text.utf8.count <= 32 else {
            throw ValueFault(
                .badValue,
                "the name of a Wi-Fi network has 1 to 32 bytes and no control characters"
            )
        }
        return text
    }

    /// Whether a text is not empty and has no control characters.
    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func gateway(_ text: String) throws(ValueFault) -> IPAddress {
        guard let address = IPAddress(text), !text.utf8.contains(UInt8(ascii: "[")) else {
            throw ValueFault(
                .badValue,
                "a gateway is a numeric address, such as `192.168.8.1` or `fe80::1`"
            )
        }
        return address
    }

    private static func connection(_ text: String) throws(ValueFault) -> String {
        guard isLine(text) else {
            throw ValueFault(
                .badValue,
                "the name of a connection is not empty and has no control characters"
            )
        }
        return text
    }
}
