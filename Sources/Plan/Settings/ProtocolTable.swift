internal import TransferModel

/// `protocolClasses` of a session: the programs that serve custom schemes.
enum ProtocolTable {
    static let setting = Setting<SessionConfiguration>(
        "protocolClasses",
        list,
        default: "[]",
        "The programs that serve custom schemes, each with its scheme."
    ) { $0.protocolPrograms = $1 }

    static let table = SettingTable<ProtocolProgram>(
        "protocolClass",
        [
            Setting(
                "scheme",
                ValueType(pattern: pattern, parse: scheme),
                isRequired: true,
                "The scheme of the URLs that the program serves, such as `notes`."
            ) { $0.scheme = $1 },
            Setting(
                "command",
                CommandType.type,
                isRequired: true,
                "A program and its arguments, run without a shell in the job file's folder for each "
                    + "request."
            ) { $0.command = $1 },
        ]
    )

    private static let pattern =
        "^(?!(?:\(CustomURL.reservedSchemes.sorted().joined(separator: "|")))$)[a-z][a-z0-9+.-]{0,63}$"

    private static let entry = ValueType<ProtocolProgram>(.mapping(table.keys)) { reader, field in
        let program = ProtocolProgram(
            scheme: "",
            command: [],
            folder: reader.folder,
            withheldVariables: reader.values.secrets.variables
        )
        return reader.value(program, with: table, in: field)
    }

    /// A scheme has one program.
    private static let list = ValueType<[ProtocolProgram]>(.list(entry.shape)) { reader, field in
        guard let programs = reader.elements(field, of: entry) else { return nil }
        var seen: Set<String> = []
        for program in programs where !seen.insert(program.scheme).inserted {
            reader.report(
                .badValue,
                "`\(field.name)`: the scheme `\(program.scheme)` has two programs",
                at: field.key
            )
            return nil
        }
        reader.customSchemes.formUnion(seen)
        return programs
    }

    private static func scheme(_ text: String) throws(ValueFault) -> String {
        guard !CustomURL.reservedSchemes.contains(text.lowercased()) else {
            throw ValueFault(.badValue, "the scheme `\(text)` cannot have a program of the job")
        }
        guard CustomURL.isScheme(text) else {
            throw ValueFault(
                .badValue,
                "a scheme has at most \(CustomURL.longestScheme) lowercase letters, digits, `+`, `-` "
                    + "and `.`, and begins with a letter"
            )
        }
        return text
    }
}
