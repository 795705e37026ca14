internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// `signature`: the detached signature of a download.
enum DetachedSignatureTable {
    /// A `signature` mapping while it is read.
    struct Draft: Sendable {
        var program: DetachedSignature.Program?
        var file: PathValue?
        var key: (field: Field, value: KeyText)?
        var timeout = Duration.seconds(300)

        /// The files that the program reads and that are known before the run, with their keys.
        var files: [(key: String, path: PathValue)] {
            var files: [(key: String, path: PathValue)] = []
            if let file { files.append(("file", file)) }
            if case .file(let file)? = key?.value { files.append(("key", file)) }
            return files.filter { !$0.path.isKnownLater }
        }
    }

    /// The value of `key`, whose meaning the program decides.
    enum KeyText: Sendable {
        case file(PathValue)
        case text(String)
    }

    static let table = SettingTable<Draft>(
        "signature",
        [
            Setting(
                "program",
                .choice(),
                isRequired: true,
                "The program that checks the signature, found in `PATH`."
            ) { $0.program = $1 },
            Setting(
                "file",
                PathType.type,
                isRequired: true,
                "The file with the detached signature, relative to the job file's folder: most "
                    + "often the destination of a download that this one `needs`."
            ) { $0.file = $1 },
            Setting(
                "key",
                key,
                isRequired: true,
                "The public key, relative to the job file's folder: a `.pub` file for `minisign`, "
                    + "or the key itself; a keyring for `gpgv`."
            ) { $0.key = $1 },
            Setting(
                "timeout",
                .duration(),
                default: "5m",
                "The longest time that the program may take."
            ) { $0.timeout = $1 },
        ]
    )

    static let type = ValueType<Draft>(.mapping(table.keys)) { reader, field in
        var draft = Draft()
        reader.apply(table, to: &draft, in: field)
        guard let program = draft.program, draft.file != nil, let key = draft.key else {
            return nil
        }
        if case .text(let text) = key.value, program != .minisign {
            reader.report(
                .badValue,
                "`key`: `\(text.excerpt)` is a key of minisign, and the program is "
                    + "`\(program.rawValue)`",
                at: key.field.node,
                help: "name a keyring file"
            )
            return nil
        }
        return draft
    }

    private static let key = ValueType<(field: Field, value: KeyText)>(
        .text(pattern: nil, example: "file")
    ) { reader, field in
        guard let value = PathType.path(field, &reader) else { return nil }
        // A peer may choose among the files of the job, and must not vouch for itself.
        let isText = !value.isOfPeer && isKey(value.text)
        let key: KeyText = isText ? .text(value.text) : .file(value)
        return (field, key)
    }

    /// Whether a text is a public key of minisign: 42 bytes in Base64, the first two of which are
    /// `Ed`.
    private static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 56, let bytes = Base64.decode(text.utf8) else { return false }
        return bytes.count == 42 && bytes.starts(with: "Ed".utf8)
    }
}

extension DetachedSignature {
    /// The signature of a `signature` mapping that was read completely; nil without one.
    init?(_ draft: DetachedSignatureTable.Draft?) {
        guard let draft, let program = draft.program, let file = draft.file,
            let value = draft.key?.value
        else { return nil }
        let key: Key =
            switch value {
            case .file(let path): .file(path: path.path, displayPath: path.text)
            case .text(let text): .text(text)
            }
        self.init(
            program,
            path: file.path,
            displayPath: file.text,
            key: key,
            timeout: draft.timeout
        )
    }
}
