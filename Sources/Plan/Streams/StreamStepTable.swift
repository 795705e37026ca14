internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `steps` of a stream task.
enum StreamStepTable {
    static let table = SettingTable<StepDraft<StreamStep>>(
        "streamStep",
        [
            Setting("write", write, "Sends bytes.") {
                $0.action = .write($1)
                $0.size = $1.size
            },
            Setting("read", StreamReadTable.type, "Takes bytes of the peer.") { step, draft in
                step.action = draft.reading.map { .read($0) }
                step.captures = draft.captures
                step.file = draft.file
            },
            Setting(
                "startSecureConnection",
                signal(.startSecureConnection),
                "`true` begins TLS on the open connection."
            ) { $0.action = $1 },
            Setting(
                "closeWrite",
                signal(.closeWrite),
                "`true` tells the peer that nothing more will be sent."
            ) { $0.action = $1 },
            Setting(
                "closeRead",
                signal(.closeRead),
                "`true` drops everything that arrives from now on."
            ) { $0.action = $1 },
            StepDraft<StreamStep>.timeoutSetting,
        ],
        exactlyOneOf: ["write", "read", "startSecureConnection", "closeWrite", "closeRead"]
    )

    static let steps: ValueType<[StepDraft<StreamStep>]> =
        StepList.type(table, in: StreamOrder.self)

    /// A step without settings, whose only value is `true`.
    private static func signal(_ action: StreamStep.Action) -> ValueType<StreamStep.Action> {
        ValueType(.boolean) { reader, field in
            guard let isWanted = ValueType<Bool>.boolean.read(&reader, field) else { return nil }
            guard isWanted else {
                reader.report(
                    .badValue,
                    "`\(field.name)`: the only value is `true`",
                    at: field.node,
                    help: "leave out the step"
                )
                return nil
            }
            return action
        }
    }
}

// MARK: - Bytes that steps send

extension StreamStepTable {
    private static let write = ValueType<StepContent>(
        .mapping(writeTable.keys)
    ) { reader, field in
        reader.sent(writeTable, nil, in: field) ?? nil
    }

    static let writeTable = SettingTable<StepContent?>(
        "write",
        [
            Setting("text", .bodyText, "The bytes as text in UTF-8, with nothing added.") {
                $0 = .bytes(Array($1.utf8))
            },
            Setting("line", line, "One line of text, which CRLF ends.") {
                $0 = .bytes(Array($1.utf8) + [13, 10])
            },
            Setting("base64", .base64, "The bytes in Base64.") { $0 = .bytes($1) },
            Setting(
                "file",
                PathType.existingType,
                "A file with the bytes, relative to the job file's folder."
            ) { $0 = .file(path: $1.path) },
        ],
        exactlyOneOf: ["text", "line", "base64", "file"],
        shorthand: Shorthand { _ in "text" }
    )

    /// One line: a value that is filled in must not add a command of its own.
    private static let line = ValueType<String>(.text(pattern: nil)) { reader, field in
        guard let text = BodyText.bodyText(field, &reader) else { return nil }
        guard !text.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
            reader.report(
                .badValue,
                "`\(field.name)`: a line has no line break and no NUL",
                at: field.node,
                help: "write one step for each line, or use `text`"
            )
            return nil
        }
        return text
    }.warningOfPlaceholders(isBody: true)
}

/// Finds steps that can have no effect at their place.
private struct StreamOrder: StepOrder {
    private var hasClosedWrite = false
    private var hasClosedRead = false
    private var hasFile = false
    private var hasStartedTLS = false
    private var captures: Set<String> = []

    mutating func check(
        _ step: StepDraft<StreamStep>,
        _ list: Field,
        at node: NodeID,
        _ reader: inout Reader
    ) {
        if let fault = fault(of: step) {
            return reader.report(.conflictingKeys, "`\(list.name)`: \(fault)", at: node)
        }
        reader.checkNames(of: step.captures, &captures, of: list, at: node)
    }

    /// The fault of the next step; nil without one.
    private mutating func fault(of step: StepDraft<StreamStep>) -> String? {
        switch step.action {
        case .write? where hasClosedWrite: return "a step cannot write after `closeWrite`"
        case .read? where hasClosedRead: return "a step cannot read after `closeRead`"
        case .closeWrite?:
            if hasClosedWrite { return "there are two `closeWrite`" }
            hasClosedWrite = true
        case .closeRead?:
            if hasClosedRead { return "there are two `closeRead`" }
            hasClosedRead = true
        case .startSecureConnection?:
            if hasStartedTLS { return "there are two `startSecureConnection`" }
            if hasClosedWrite || hasClosedRead {
                return "TLS cannot begin after `closeWrite` or `closeRead`"
            }
            hasStartedTLS = true
        case .write?, .read?, nil: break
        }
        guard step.file != nil else { return nil }
        if hasFile { return "only one step of a task can write a file" }
        hasFile = true
        return nil
    }
}
