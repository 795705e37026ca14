internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A step of a stream task while it is read.
struct StreamStepDraft: Sendable {
    var write: StreamStep.Content?
    var read: StreamReadDraft?
    var signal: StreamStep.Action?
    var timeout: Duration?
    /// The step itself, if it sends a secret.
    var secretPlace: NodeID?

    /// The step; nil before its action is read.
    var step: StreamStep? {
        if let write { return StreamStep(.write(write), timeout: timeout) }
        if let reading = read?.reading { return StreamStep(.read(reading), timeout: timeout) }
        return signal.map { StreamStep($0, timeout: timeout) }
    }

    var captures: [Capture] { read?.captures ?? [] }
    var file: PathValue? { read?.file }

    /// The bytes of the job that the step sends.
    var size: Int {
        if case .bytes(let bytes)? = write { bytes.count } else { 0 }
    }
}

/// `steps` of a stream task.
enum StreamStepTable {
    static let table = SettingTable<StreamStepDraft>(
        "streamStep",
        [
            Setting("write", write, "Sends bytes.") { $0.write = $1 },
            Setting("read", StreamReadTable.type, "Takes bytes of the peer.") { $0.read = $1 },
            Setting(
                "startSecureConnection",
                signal(.startSecureConnection),
                "`true` begins TLS on the open connection."
            ) { $0.signal = $1 },
            Setting(
                "closeWrite",
                signal(.closeWrite),
                "`true` tells the peer that nothing more will be sent."
            ) { $0.signal = $1 },
            Setting(
                "closeRead",
                signal(.closeRead),
                "`true` drops everything that arrives from now on."
            ) { $0.signal = $1 },
            Setting(
                "timeout",
                .duration(),
                "The longest duration of the step; without it, only silence ends the step."
            ) { $0.timeout = $1 },
        ],
        exactlyOneOf: ["write", "read", "startSecureConnection", "closeWrite", "closeRead"]
    )

    /// The most steps of a task.
    private static let mostSteps = 10_000

    static let steps = ValueType<[StreamStepDraft]>(
        .nonEmptyList(.mapping(table.keys))
    ) { reader, field in
        guard reader.isList(field) else { return nil }
        let nodes = Array(reader.document.elements(of: field.node))
        guard (1...mostSteps).contains(nodes.count) else {
            let fault =
                nodes.isEmpty ? "the list is empty" : "there are more than \(mostSteps) steps"
            reader.report(.outOfRange, "`\(field.name)`: \(fault)", at: field.node)
            return nil
        }
        let errors = reader.faults.log.errorCount
        var order = StreamOrder()
        var steps: [StreamStepDraft] = []
        var size = 0
        for node in nodes {
            var step = StreamStepDraft()
            let useCount = reader.secretUses.count
            reader.apply(table, to: &step, in: Field(name: "step", key: field.key, node: node))
            if let fault = order.fault(of: step) { reader.report(fault, of: field, at: node) }
            if reader.secretUses.count > useCount { step.secretPlace = node }
            size += step.size
            guard size <= JSONBody.largestBody else {
                JSONBody.reportTooLarge(field.name, at: field.key, &reader)
                return nil
            }
            steps.append(step)
        }
        return reader.faults.log.errorCount == errors ? steps : nil
    }

    /// A step that says nothing but its name.
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

extension Reader {
    /// Reports a fault of an element of a list.
    fileprivate mutating func report(_ fault: ValueFault, of field: Field, at node: NodeID) {
        report(fault.code, "`\(field.name)`: \(fault.message)", at: node, help: fault.help)
    }
}

// MARK: - Bytes that steps send

extension StreamStepTable {
    private static let write = ValueType<StreamStep.Content>(
        .mapping(writeTable.keys)
    ) { reader, field in
        var content: StreamStep.Content?
        let errors = reader.faults.log.errorCount
        reader.values.isReadingBody = true
        reader.apply(writeTable, to: &content, in: field)
        reader.values.isReadingBody = false
        return reader.faults.log.errorCount == errors ? content : nil
    }

    static let writeTable = SettingTable<StreamStep.Content?>(
        "write",
        [
            Setting("text", .bodyText, "The bytes as text in UTF-8, with nothing added.") {
                $0 = .bytes(Array($1.utf8))
            },
            Setting("line", line, "One line of text, which CRLF ends.") {
                $0 = .bytes(Array($1.utf8) + [13, 10])
            },
            Setting("base64", base64, "The bytes in Base64.") { $0 = .bytes($1) },
            Setting(
                "file",
                ValueType(.text(pattern: nil)) { PathType.existingFile($1, &$0) },
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

    private static let base64 = ValueType<[UInt8]>(
        .text(pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
    ) { reader, field in
        guard let text = BodyText.bodyText(field, &reader) else { return nil }
        // A value that is known later has a stand-in here.
        if !reader.isReadingAgain, reader.document.hasInterpolation(field.node) { return [] }
        guard let bytes = Base64.decode(text.utf8) else {
            reader.report(
                .badValue,
                "`\(field.name)`: the text is not Base64 (RFC 4648 §4)",
                at: field.node
            )
            return nil
        }
        return bytes
    }
}
