internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

extension Interpolator {
    /// The value that another task has captured; before the run a stand-in, if the reference is
    /// valid.
    mutating func capturedValue(
        of expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ScalarValue? {
        let range = faults.range(of: expression.range, in: text, field.node)
        do throws(ValueFault) {
            guard takesCaptures(of: faults.owner) else {
                throw ValueFault(
                    .misplacedCapture,
                    "captured values are not known yet when this value is needed"
                )
            }
            let (id, name) = expression.capture
            guard let source = tasks.find(id, in: faults.document) else {
                throw ValueFault(
                    .unknownTask,
                    "there is no task `\(id.excerpt)`",
                    likely: nearestTask(id, &faults).map { "${task.\($0).\(name)}" },
                    help: "write `${task.ID.name}` with a task's id and a name of its `capture`"
                )
            }
            guard tasks.group(of: source) == nil else {
                throw ValueFault(
                    .unknownCapture,
                    "`\(id.excerpt)` has a `forEach`, so that the name does not identify one task"
                )
            }
            guard let captured else {
                try checkCapture(name, of: source, &faults)
                captureReferences.append(
                    CaptureReference(
                        source: source,
                        range: range,
                        isInCondition: isReadingCondition
                    )
                )
                return .standIn
            }
            if let value = captured[tasks.tasks(of: source).lowerBound]?.first(where: {
                $0.name == name
            }) {
                var filled = ScalarValue(value)
                secrets.find(in: &filled)
                return filled
            }
            if isReadingCondition { return .standIn }
            throw ValueFault(
                .unknownCapture,
                "`\(id.excerpt)` has not captured `\(name.excerpt)`"
            )
        } catch {
            faults.report(error, of: field, at: range)
            return nil
        }
    }

    /// The id that was probably meant.
    private func nearestTask(_ id: String, _ faults: inout FaultReporter) -> String? {
        let document = faults.document
        // Other tools name a part of the response behind the id: `login.json.token`.
        if let (first, _) = id.cut(atFirst: "."), tasks.find(String(first), in: document) != nil {
            return String(first)
        }
        return faults.hints.nearest(
            id,
            among: tasks.entries.prefix(Hints.comparedNames).map { document.text(of: $0.key) }
        )
    }

    /// Checks that a task captures a value of that name.
    private mutating func checkCapture(
        _ name: String,
        of source: Int,
        _ faults: inout FaultReporter
    ) throws(ValueFault) {
        let names = captureNames.find(of: tasks.entries[source].value, in: faults.document)
        guard !names.contains(name) else { return }
        let id = faults.document.text(of: tasks.entries[source].key)
        let nearest = faults.hints.nearest(name, among: names.sorted())
        throw ValueFault(
            .unknownCapture,
            "the task `\(id.excerpt)` does not capture `\(name.excerpt)`",
            likely: nearest.map { "${task.\(id).\($0)}" },
            help: "write `capture: { \(name.excerpt): { json: /\(name.excerpt) } }` in "
                + "`\(id.excerpt)`; `header` and `regex` find other values"
        )
    }

    /// Whether the setting being read is read again when a task starts.
    private func takesCaptures(of owner: FaultReporter.Owner) -> Bool {
        guard !isNeededBeforeTheRun, case .task = owner else { return false }
        return true
    }
}

extension ScalarValue {
    /// A stand-in for a value that is not known yet: not empty, so that no fallback takes its
    /// place, and harmless in every place.
    fileprivate static let standIn = ScalarValue(
        text: "captured",
        type: .string,
        isFilledIn: true,
        standInStart: 0
    )

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
