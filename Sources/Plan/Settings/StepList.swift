internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A step of a conversation while it is read.
struct StepDraft<Step: ConversationStep>: Sendable {
    /// The action of the step; nil before it is read.
    var action: Step.Action?
    var timeout: Duration?
    var captures: [Capture] = []
    /// The file for the bytes that the step of a stream takes.
    var file: PathValue?
    /// The number of bytes from the job that the step sends.
    var size = 0
    /// The step itself, if it sends a secret; only streams need it.
    var secretPlace: NodeID?

    /// The step; nil before its action is read.
    var step: Step? { action.map { Step($0, timeout: timeout) } }

    /// The key that all steps have.
    static var timeoutSetting: Setting<StepDraft> {
        Setting<StepDraft>(
            "timeout",
            .duration(),
            "The longest duration of the step; without it, only silence ends the step."
        ) { $0.timeout = $1 }
    }
}

/// Finds steps that are not allowed at their place, one step after the other.
protocol StepOrder: Sendable {
    associatedtype Step: ConversationStep
    init()
    /// Why no step can follow; nil while one can.
    var faultOfMore: String? { get }
    /// Reports the fault of the next step, the element `node` of the list.
    mutating func check(
        _ step: StepDraft<Step>,
        _ list: Field,
        at node: NodeID,
        _ reader: inout Reader
    )
}

extension StepOrder {
    var faultOfMore: String? { nil }
}

/// `steps`: the steps of a conversation, one after the other.
enum StepList {
    /// The most steps of a task.
    private static let mostSteps = 10_000

    /// The list of the steps of one kind of conversation.
    static func type<Order: StepOrder>(
        _ table: SettingTable<StepDraft<Order.Step>>,
        in _: Order.Type
    ) -> ValueType<[StepDraft<Order.Step>]> {
        ValueType(.nonEmptyList(.mapping(table.keys))) { reader, field in
            guard reader.isList(field) else { return nil }
            let nodes = Array(reader.document.elements(of: field.node))
            guard (1...mostSteps).contains(nodes.count) else {
                let fault =
                    nodes.isEmpty ? "the list is empty" : "there are more than \(mostSteps) steps"
                reader.report(.outOfRange, "`\(field.name)`: \(fault)", at: field.node)
                return nil
            }
            var order = Order()
            var steps: [StepDraft<Order.Step>] = []
            var size = 0
            for node in nodes {
                if let fault = order.faultOfMore {
                    reader.report(.conflictingKeys, "`\(field.name)`: \(fault)", at: node)
                    return nil
                }
                var step = StepDraft<Order.Step>()
                let useCount = reader.secretUses.count
                reader.apply(table, to: &step, in: Field(name: "step", key: field.key, node: node))
                order.check(step, field, at: node, &reader)
                if reader.secretUses.count > useCount { step.secretPlace = node }
                size += step.size
                guard size <= JSONBody.largestBody else {
                    JSONBody.reportTooLarge(field.name, at: field.key, &reader)
                    return nil
                }
                steps.append(step)
            }
            return steps
        }.faultless
    }
}

extension ValueType where Value == [UInt8] {
    /// Bytes that a step sends, in Base64.
    static let base64 = ValueType(
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

extension Reader {
    /// Reads the content that a step sends; nil with a fault, which is reported.
    mutating func sent<Draft>(
        _ table: SettingTable<Draft>,
        _ empty: Draft,
        in field: Field
    ) -> Draft? {
        with(\.isReadingBody, true) { $0.value(empty, with: table, in: field) }
    }

    /// Reports captures of a step from a header, which `what` does not have.
    mutating func checkHeaderless(_ captures: [Capture], of what: String, in field: Field) {
        for capture in captures where !capture.isAboutBody {
            report(
                .badValue,
                "`capture`: \(what) has no header, so `\(capture.name)` cannot come from one",
                at: document.value(of: field.node, for: "capture")?.key ?? field.key,
                help: "capture it with `json` or `regex`"
            )
        }
    }

    /// Reports a name that an earlier step captures.
    mutating func checkNames(
        of captures: [Capture],
        _ known: inout Set<String>,
        of list: Field,
        at node: NodeID
    ) {
        for capture in captures where !known.insert(capture.name).inserted {
            report(
                .badID,
                "`\(list.name)`: several steps capture `\(capture.name)`",
                at: node,
                help: "give each capture of a task its own name"
            )
        }
    }
}
