internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// A path of the job file, made absolute.
struct PathValue: Sendable, Hashable {
    /// Absolute.
    var path: String
    /// As the job file has it, its expressions filled in.
    var text: String
    /// Whether a part of it is a stand-in for a value that a task will capture.
    var isKnownLater = false
    /// Whether a part of it is a captured value, or will be.
    var isOfPeer = false

    /// Whether it ends in a slash.
    var isFolder: Bool { path.utf8.last == UInt8(ascii: "/") }
}

/// Paths to files, relative to the folder of the job file.
enum PathType {
    /// The type of a path.
    static let type = ValueType<PathValue>(.text(pattern: nil, example: "file")) { path($1, &$0) }
    /// The type of a path to a file that must be there when the run starts.
    static let existingType = ValueType<PathValue>(.text(pattern: nil, example: "file")) {
        existingFile($1, &$0)
    }
    /// The type of a path to a file that the runner writes.
    static let destinationType = ValueType<PathValue>(.text(pattern: nil, example: "file")) {
        destination($1, &$0)
    }

    /// A path relative to the job file's folder.
    ///
    /// From the first expression on, a path may not climb: a variable's value names something
    /// inside of the folder that the path has named before it. A value at the very front may be an
    /// absolute path: then it names the folder itself. A captured value may not, because a peer
    /// chose it; nor does a piece make the path absolute after an empty one. A captured value is a
    /// part of one name, unless its expression has `raw:`.
    static func path(_ field: Field, _ reader: inout Reader) -> PathValue? {
        if !reader.hasCheckedTexts {
            Slips.warnOfPlaceholders(in: field, &reader)
            Slips.warnOfHome(in: field, &reader)
        }
        guard reader.document.kind(of: field.node) == .scalar,
            reader.document.hasInterpolation(field.node)
        else {
            return constantPath(field, &reader)
        }
        let pieces = reader.values.filledPieces(field, takesRaw: isCapture, &reader.faults)
        guard let pieces else { return nil }
        let slash = UInt8(ascii: "/")
        var text = ""
        var firstFilledIn: Int?
        for piece in pieces {
            guard piece.value.secrets.isEmpty else {
                reader.reportInPath(piece.value.secrets, field)
                return nil
            }
            guard checkName(piece, behind: text, field, &reader) else { return nil }
            if piece.isFilledIn {
                firstFilledIn = firstFilledIn ?? text.utf8.count
                if !text.isEmpty, piece.value.text.utf8.first == slash {
                    reader.report(
                        .pathEscape,
                        "`\(field.name)`: `\(piece.value.text.excerpt)` is an absolute path "
                            + "in the middle of a path",
                        at: field.node
                    )
                    return nil
                }
            }
            text += piece.value.text
        }
        if text.utf8.first == slash, let first = pieces.first?.value {
            guard checkFront(first, of: text, field, &reader) else { return nil }
        }
        if let firstFilledIn, Self.climbs(text, from: firstFilledIn) {
            reader.report(
                .pathEscape,
                "`\(field.name)`: `\(text.excerpt)` leaves the folder that the variable is in",
                at: field.node,
                help: "a path may not have `..` after a variable"
            )
            return nil
        }
        guard var value = checkedPath(text, field, &reader) else { return nil }
        value.isKnownLater = pieces.contains(where: \.value.isKnownLater)
        value.isOfPeer = pieces.contains(where: \.value.isOfPeer)
        if reader.faults.log.takesWarnings {
            let harm = "may name any file below the folder in front of it"
            reader.values.warnOfRawValues(in: pieces, field, harm, &reader.faults)
        }
        return value
    }

    /// `raw:` matters only for captured values: other values may have several names anyway.
    private static func isCapture(_ expression: Expression) -> Bool {
        expression.namespace == .task
    }

    /// Reports a captured value that is more than a part of one visible name, which a peer could
    /// make a file such as `.git/hooks/post-checkout`.
    private static func checkName(
        _ piece: FilledPiece,
        behind text: String,
        _ field: Field,
        _ reader: inout Reader
    ) -> Bool {
        let value = piece.value.text.utf8
        let isFirst = text.isEmpty || text.utf8.last == UInt8(ascii: "/")
        let isHidden = isFirst && (value.isEmpty || value.first == UInt8(ascii: "."))
        guard piece.value.isCaptured, let expression = piece.expression, !expression.isRaw,
            isHidden || value.contains(UInt8(ascii: "/"))
        else { return true }
        reader.report(
            .pathEscape,
            "`\(field.name)`: the captured value `\(piece.value.text.excerpt)` is not one name: it "
                + "may have no `/`, and at the front of a name no dot, and not be empty",
            at: field.node,
            help: "write `raw:` after `${` if the server may choose folders and hidden files"
        )
        return false
    }

    /// Reports an absolute path that its first piece does not make one, or that a peer has chosen.
    private static func checkFront(
        _ first: ScalarValue,
        of text: String,
        _ field: Field,
        _ reader: inout Reader
    ) -> Bool {
        guard first.isCaptured || first.text.isEmpty else { return true }
        let front = first.isCaptured ? "begins with a captured value" : "begins with an empty value"
        reader.report(
            .pathEscape,
            "`\(field.name)`: `\(text.excerpt)`, which \(front), is an absolute path",
            at: field.node
        )
        return false
    }

    /// A path to a file that must be there when the run starts.
    static func existingFile(_ field: Field, _ reader: inout Reader) -> PathValue? {
        existing(field, .readable, "file", kind: "regular file", &reader)
    }

    /// A path to a named pipe that must be there when the run starts.
    static func existingPipe(_ field: Field, _ reader: inout Reader) -> PathValue? {
        existing(field, .pipe, "pipe", kind: "named pipe", &reader)
    }

    private static func existing(
        _ field: Field,
        _ wanted: PlanOptions.FileStatus,
        _ noun: String,
        kind: String,
        _ reader: inout Reader
    ) -> PathValue? {
        guard let value = path(field, &reader), !value.isKnownLater else { return nil }
        guard let status = reader.fileStatus?(value.path), status != wanted else { return value }
        let reason =
            switch status {
            case .missing: "there is no \(noun) `\(value.text)`"
            case .unreadable(let reason):
                "the \(noun) `\(value.text)` cannot be opened: \(reason)"
            case .readable, .pipe, .notRegular: "`\(value.text)` is not a \(kind)"
            }
        let code: JobCode = if case .unreadable = status { .unreadableFile } else { .missingFile }
        reader.report(
            code,
            "`\(field.name)`: \(reason)",
            at: field.node,
            help: help(for: value.text, status, field.name)
        )
        return nil
    }

    /// Advice for a folder, and for a missing file whose path is one in the manner of another tool
    /// or system.
    private static func help(
        for path: String,
        _ status: PlanOptions.FileStatus,
        _ key: String
    ) -> String? {
        let rows =
            "for a task of each file, write `forEach: { glob: … }` and "
            + "`file: \"${item.path}\"`"
        guard status == .missing else { return status == .notRegular && key == "file" ? rows : nil }
        if path.utf8.first == UInt8(ascii: "@"), path.utf8.count > 1 {
            return "leave out the `@`, which marks a file for curl"
        }
        if path.containsBytes("://") { return "a path names a file of this machine, not a URL" }
        if path.utf8.contains(UInt8(ascii: "\\")) { return "write `/` between folders and files" }
        return key == "file" && path.utf8.contains(UInt8(ascii: "*")) ? rows : nil
    }

    /// A path to a file that the runner writes, or to the folder that it is written to under the
    /// server's name.
    ///
    /// Only a slash at the end of the text in the job file means a folder, so that neither a row
    /// nor a peer decides whether a server names the file.
    static func destination(_ field: Field, mayBeFolder: Bool = false, _ reader: inout Reader)
        -> PathValue?
    {
        guard var value = path(field, &reader) else { return nil }
        let last = value.text.utf8.last
        if last == UInt8(ascii: "/") {
            guard mayBeFolder, endsInSlash(field.node, &reader) else {
                reader.report(
                    .badPath,
                    "`\(field.name)`: `\(value.text.excerpt)` is a folder",
                    at: field.node,
                    help: mayBeFolder
                        ? "write a slash after the expression to let the server name the file"
                        : "name the file: `\(value.text.excerpt)file-name`"
                )
                return nil
            }
            if !value.isFolder { value.path += "/" }
            return value
        }
        if last == UInt8(ascii: "."),
            [".", ".."].contains(AbsolutePath.lastComponent(of: value.text))
        {
            reader.report(
                .badPath,
                "`\(field.name)`: `\(value.text.excerpt)` is a folder",
                at: field.node,
                help: mayBeFolder ? "end it with a slash to let the server name the file" : nil
            )
            return nil
        }
        return value
    }

    /// A path to a folder that the runner makes; a slash at its end changes nothing.
    static func folder(_ field: Field, _ reader: inout Reader) -> PathValue? {
        guard var value = path(field, &reader) else { return nil }
        while value.path.utf8.count > 1, value.isFolder { value.path.removeLast() }
        let last = AbsolutePath.lastComponent(of: value.path)
        guard !["", ".", ".."].contains(last) else {
            reader.report(
                .badPath,
                "`\(field.name)`: `\(value.text.excerpt)` names no new folder",
                at: field.node,
                help: "name a folder of its own, such as `tools/compiler`"
            )
            return nil
        }
        return value
    }

    /// Whether a scalar ends in a slash as the job file has it.
    private static func endsInSlash(_ node: NodeID, _ reader: inout Reader) -> Bool {
        reader.document.withBytes(of: node) {
            $0.count > 0 && $0[$0.count - 1] == UInt8(ascii: "/")
        }
    }

    /// A path without an expression.
    private static func constantPath(_ field: Field, _ reader: inout Reader) -> PathValue? {
        guard let scalar = reader.scalar(field) else { return nil }
        if case .bool = scalar.type {
            let message = "`\(field.name)`: expected a path, found `\(scalar.text)`"
            reader.report(.badPath, message, at: field.node)
            return nil
        }
        guard let text = reader.text(of: scalar, field) else { return nil }
        return checkedPath(text, field, &reader)
    }

    private static func checkedPath(_ text: String, _ field: Field, _ reader: inout Reader)
        -> PathValue?
    {
        guard !text.isEmpty else {
            reader.report(.badPath, "`\(field.name)`: a path may not be empty", at: field.node)
            return nil
        }
        guard !text.utf8.span.hasControlByte else {
            reader.report(
                .badPath,
                "`\(field.name)`: a path may not have a control character",
                at: field.node
            )
            return nil
        }
        if let long = AbsolutePath.componentTooLong(text) {
            reader.report(
                .badPath,
                "`\(field.name)`: `\(String(long).excerpt)` is longer than "
                    + "\(AbsolutePath.longestComponent) bytes, the most that a file name may have",
                at: field.node
            )
            return nil
        }
        let path = AbsolutePath.make(text, in: reader.folder)
        guard path.utf8.count <= AbsolutePath.longest else {
            reader.report(
                .badPath,
                "`\(field.name)`: `\(text.excerpt)` is longer than \(AbsolutePath.longest) bytes, "
                    + "the most that a path may have",
                at: field.node
            )
            return nil
        }
        return PathValue(path: path, text: text)
    }

    /// Whether the component at an offset in UTF-8, or a later one, is `..`.
    private static func climbs(_ text: String, from offset: Int) -> Bool {
        let (bytes, dot) = (text.utf8.span, UInt8(ascii: "."))
        var start = 0
        for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
            if end >= offset, end - start == 2, bytes[start] == dot, bytes[start + 1] == dot {
                return true
            }
            start = end + 1
        }
        return false
    }
}
