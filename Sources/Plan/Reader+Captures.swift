internal import Diagnostics
internal import JobFile
internal import TransferModel

/// That the task being read is filled in with what another one captures.
struct CaptureReference {
    /// The task that captures.
    var source: Int
    var range: SourceRange
}

extension Reader {
    /// Fills in what another task has captured, or before the run, when the reference is right, a stand-in.
    mutating func capturedValue(
        of expression: Expression,
        _ text: String,
        _ field: Field
    ) -> ScalarValue? {
        let range = range(of: expression.range, in: text, field.node)
        guard takesCaptures else {
            report(
                .misplacedCapture,
                "`\(field.name)`: what a task captures is not known yet where this is needed",
                at: range
            )
            return nil
        }
        let (id, name) = expression.capture
        guard let source = tasks.find(id, in: document) else {
            let nearest = nearestTask(id)
            report(
                .unknownTask,
                "`\(field.name)`: there is no task `\(id.excerpt)`",
                at: range,
                likely: nearest.map { "${task.\($0).\(name)}" }
            )
            return nil
        }
        guard let captured else { return standIn(for: name, source, field, range) }
        guard let value = captured[source]?.first(where: { $0.name == name }) else {
            report(.unknownCapture, "`\(id.excerpt)` has not captured `\(name.excerpt)`", at: range)
            return nil
        }
        return ScalarValue(value)
    }

    /// Takes note that a task is filled in with a value of another; nil when that one does not capture it.
    private mutating func standIn(
        for name: String,
        _ source: Int,
        _ field: Field,
        _ range: SourceRange
    ) -> ScalarValue? {
        let captures = document.value(of: tasks.entries[source].value, for: "capture")?.value
        let names = captures.map { captures in
            document.entries(of: captures).lazy.filter { [self] in !isFree($0.key) }.map {
                [document] in document.text(of: $0.key)
            }
        }
        guard names?.contains(name) == true else {
            let known = names.map(Array.init) ?? []
            let id = id(of: source)
            let nearest = nearest(name, among: { _ in known })
            report(
                .unknownCapture,
                "`\(field.name)`: the task `\(id.excerpt)` does not capture `\(name.excerpt)`",
                at: range,
                likely: nearest.map { "${task.\(id).\($0)}" }
            )
            return nil
        }
        captureReferences.append(CaptureReference(source: source, range: range))
        // Not empty, so that no fallback takes its place, and harmless wherever it stands.
        return ScalarValue(text: "captured", type: .string, isFilledIn: true, isKnownLater: true)
    }

    /// Whether what is being read is read again when a task starts.
    private var takesCaptures: Bool {
        guard !isNeededBeforeTheRun, case .task = owner else { return false }
        return true
    }

    /// Reports an expression and, if one was probably meant, proposes it.
    private mutating func report(
        _ code: JobCode,
        _ message: String,
        at range: SourceRange,
        likely: String? = nil
    ) {
        add(
            Diagnostic(
                .error,
                code,
                message,
                at: range,
                help: likely.map { "did you mean `\($0)`?" },
                fixIt: likely.map { .init(range: range, replacement: $0) }
            )
        )
    }
}

extension ScalarValue {
    /// A value that keeps the type that it had in its response.
    fileprivate init(_ captured: CapturedValue) {
        let type: Scalar =
            switch captured.kind {
            case .string: .string
            case .number, .bool: Scalar(plain: captured.text)
            }
        self.init(text: captured.text, type: type, isFilledIn: true, isCaptured: true)
    }
}

extension ValueType {
    /// The same values, none of which a task may capture: the order of the run depends on them.
    func neededBeforeTheRun() -> ValueType {
        ValueType(shape) { [read] reader, field in
            reader.isNeededBeforeTheRun = true
            defer { reader.isNeededBeforeTheRun = false }
            return read(&reader, field)
        }
    }
}
