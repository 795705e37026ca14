internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Fills in the expressions of scalars.
struct Interpolator {
    let environment: [String: String]
    var variables: VariableTable
    var secrets = SecretList()
    /// The values of `${run.…}`.
    let run: RunValues
    /// The values of `${item…}`; nil outside of tasks with `forEach`.
    var row: Row?
    /// Whether the settings that depend on the row are read later.
    var expectsRow = false
    /// The tasks whose captures expressions may name.
    var tasks = TaskList()
    /// The captured values so far; nil before the run, when stand-ins take their places.
    var captured: CapturedValues?
    /// The captures that the task being read refers to, in its order.
    var captureReferences: [CaptureReference] = []
    /// The names of captures that were looked up.
    var captureNames = CaptureNames()
    /// The first task with each name under `capture`; nil before one is looked for.
    var captureOwners: [String: Int]?
    /// Whether tasks cannot fill in the setting being read.
    var isNeededBeforeTheRun = false
    /// Whether the plan is of a shard.
    var isOfShard = false
    /// Whether the value being read decides which tasks there are, and what their ids are.
    var isNamingTasks = false
    /// Whether the value being read belongs to the body of the task.
    var isReadingBody = false
    /// Whether the value being read belongs to a header field, where digests of the body can be.
    var takesBodyDigests = false
    /// Whether the value being read is compared in `when`, where a missing capture is no fault.
    var isReadingCondition = false
    /// Whether `when` is read to learn if it holds; other readings look for its faults.
    var decidesCondition = false
    /// Whether the URL, the body or the key of the task being read differs in every run.
    var isOrderOfRun = false
    /// Whether a captured value is a part of a URL of the task being read.
    var hasCaptureInURL = false
    /// How much the expressions of values have filled in.
    var filledIn = FilledIn()
    /// Texts of the settings of a `forEach`, taken apart: each comes back with every row.
    private var templates = TemplateCache()

    /// The limit of a value whose expressions are filled in, bytes: a few variables that double
    /// each other would fill the memory.
    private static let longestValue = 1 << 20
    /// The longest chain of variables that refer to each other.
    private static let deepestVariable = 64

    /// An interpolator without secrets and tasks.
    init(
        environment: [String: String] = [:],
        variables: VariableTable = VariableTable(),
        run: RunValues = .standIn
    ) {
        self.environment = environment
        self.variables = variables
        self.run = run
    }

    /// An interpolator of tasks that has read none of them.
    func forReading(_ tasks: TaskList) -> Interpolator {
        var fresh = Interpolator(environment: environment, variables: variables, run: run)
        fresh.secrets = secrets
        fresh.tasks = tasks
        fresh.isOfShard = isOfShard
        return fresh
    }

    /// Forgets the references and counts of the tasks read so far.
    mutating func forgetFindings() {
        filledIn.forgetLongValues()
        captureReferences.removeAll()
    }

    /// The scalar of a field; reports a collection, faulty expressions, and secrets.
    ///
    /// Nil also, without a report, for a scalar that is known only when the task starts: its key
    /// counts as present.
    mutating func scalar(_ field: Field, _ faults: inout FaultReporter) -> ScalarValue? {
        guard let scalar = scalarWithoutSecrets(field, &faults) else { return nil }
        return scalar.isKnownLater ? nil : scalar
    }

    /// The scalar of a field, or a stand-in; reports secrets.
    mutating func scalarWithoutSecrets(_ field: Field, _ faults: inout FaultReporter)
        -> ScalarValue?
    {
        guard let scalar = scalarOrStandIn(field, &faults) else { return nil }
        guard scalar.secrets.isEmpty else {
            reportMisplaced(scalar.secrets, field, &faults)
            return nil
        }
        return scalar
    }

    /// The scalar of a field, which may hold secrets, or a stand-in for one that is known only when
    /// the task starts.
    mutating func scalarOrStandIn(_ field: Field, _ faults: inout FaultReporter) -> ScalarValue? {
        guard faults.document.kind(of: field.node) == .scalar else {
            faults.report(
                .wrongType,
                "`\(field.name)`: expected a scalar, found \(faults.name(of: field.node))",
                at: field.node
            )
            return nil
        }
        guard faults.document.hasInterpolation(field.node) else {
            return ScalarValue(
                text: faults.document.text(of: field.node),
                type: faults.document.scalar(of: field.node),
                isFilledIn: false
            )
        }
        return filledScalar(field, &faults)
    }

    /// Fills in a scalar's expressions; one that is a single expression keeps the value's type.
    ///
    /// `text` takes the place of the text in the document.
    mutating func filledScalar(
        _ field: Field,
        text: String? = nil,
        _ faults: inout FaultReporter
    ) -> ScalarValue? {
        guard let pieces = filledPieces(field, text: text, &faults) else { return nil }
        if pieces.count == 1, pieces[0].isFilledIn { return pieces[0].value }
        var joined = ScalarValue(text: "", type: .string, isFilledIn: false)
        for piece in pieces { joined.append(piece.value) }
        return joined
    }

    /// A scalar's pieces with the values of its expressions; nil after a fault, when all were
    /// looked at.
    ///
    /// `takesRaw` says which expressions may have `raw:`.
    mutating func filledPieces(
        _ field: Field,
        takesRaw: (Expression) -> Bool = { _ in false },
        text: String? = nil,
        _ faults: inout FaultReporter
    ) -> [FilledPiece]? {
        let written = text?.utf8.count ?? faults.document.withBytes(of: field.node) { $0.count }
        guard written <= Self.longestValue else {
            let message = "a value with expressions may not be longer than 1 MiB"
            faults.report(.outOfRange, "`\(field.name.excerpt)`: \(message)", at: field.node)
            return nil
        }
        let (text, template) = template(of: field.node, in: faults.document, text: text)
        report(template, text, field, &faults)
        var isWhole = template.faults.isEmpty
        var pieces: [FilledPiece] = []
        pieces.reserveCapacity(template.pieces.count)
        var length = 0
        var isFilledIn = false
        for piece in template.pieces {
            guard !faults.log.isFull else { return nil }
            switch piece {
            case .literal(let text):
                let value = ScalarValue(text: text, type: .string, isFilledIn: false)
                pieces.append(FilledPiece(value: value))
                length += text.utf8.count
            case .expression(let expression):
                if expression.isRaw, !takesRaw(expression) {
                    let written = text.slice(expression.range)
                    faults.report(.misplacedRaw(written), of: field, at: expression.range, in: text)
                    isWhole = false
                    continue
                }
                guard var value = value(of: expression, text, field, &faults) else {
                    isWhole = false
                    continue
                }
                value.isFilledIn = true
                if value.isOfRun { noteRunValue(field, &faults) }
                if value.isOfRun, isOfShard, isNamingTasks {
                    let written = String(text.slice(expression.range))
                    faults.report(.runValue(written), of: field, at: expression.range, in: text)
                    isWhole = false
                    continue
                }
                isFilledIn = true
                pieces.append(FilledPiece(value: value, expression: expression))
                length += value.text.utf8.count
            }
            guard length <= Self.longestValue || !isFilledIn else {
                let message = "the value is longer than 1 MiB when its expressions are filled in"
                faults.report(.outOfRange, "`\(field.name.excerpt)`: \(message)", at: field.node)
                return nil
            }
        }
        if pieces.count > 1, pieces.contains(where: \.isNullItem) {
            let message = "`\(field.name.excerpt)`: a part of the value is null"
            faults.report(.wrongType, message, at: field.node)
            return nil
        }
        return isWhole && filledIn.takes(length, of: field, &faults) ? pieces : nil
    }

    /// Takes a scalar apart, or a text in its place.
    mutating func template(
        of node: NodeID,
        in document: Document,
        text: String? = nil
    ) -> (text: String, template: Template) {
        guard row != nil else {
            let text = text ?? document.text(of: node)
            return (text, Template(text))
        }
        if let text { return (text, templates.template(of: text)) }
        let entry = templates.entry(of: node, in: document)
        return (entry.text, entry.template)
    }

    /// Reports text that is no expression of this language.
    private func report(
        _ template: Template,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) {
        for fault in template.faults where !faults.log.isFull {
            let explained = ForeignExpression.explain(
                fault.fault,
                of: text.slice(fault.range),
                hasItem: row != nil || expectsRow,
                isTask: { tasks.find($0, in: faults.document) != nil }
            )
            faults.report(explained, of: field, at: fault.range, in: text)
        }
    }

    private mutating func value(
        of expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ScalarValue? {
        let found: ScalarValue?
        switch expression.namespace {
        case .env:
            guard !isSecret(expression, text, field, &faults) else { return nil }
            guard !isForeign(expression, text, field, &faults) else { return nil }
            found = environment[expression.name].map {
                ScalarValue(text: $0, type: .string, isFilledIn: true, isFromEnvironment: true)
            }
        case .var:
            guard !isSecret(expression, text, field, &faults) else { return nil }
            switch variable(expression.name, &faults) {
            case .value(let value): found = value
            case .faulty: return nil
            default: found = nil
            }
        case .secret:
            return secret(expression, text, field, &faults)
        case .body:
            return BodyDigestExpression.read(expression, takesBodyDigests, text, field, &faults)
        case .item:
            switch item(expression, text, field, &faults) {
            case .value(let value): found = value
            case .absent: found = nil
            case .faulty: return nil
            }
        case .run:
            found = run[expression.name].map {
                ScalarValue(text: $0, type: .string, isFilledIn: true, isOfRun: true)
            }
        case .task:
            guard let value = capturedValue(of: expression, text, field, &faults) else {
                return nil
            }
            found = value
        }
        switch expression.rule {
        case .required:
            if let found { return found }
        case .fallback(let fallback):
            if let found, !found.text.isEmpty { return found }
            // The fallback has the type of the value: variables of the environment are text.
            let type = expression.namespace == .env ? .string : Scalar(plain: fallback)
            return ScalarValue(text: fallback, type: type, isFilledIn: true)
        case .reason:
            if let found, !found.text.isEmpty { return found }
        }
        reportMissing(
            expression,
            at: faults.range(of: expression.range, in: text, field.node),
            &faults
        )
        return nil
    }

    /// Resolves every variable of the file, so that the faults of unused ones are found too.
    mutating func resolveVariables(_ faults: inout FaultReporter) {
        for name in variables.names { _ = variable(name, &faults) }
    }

    /// The state of a variable, which is resolved on first use; nil for an unknown name.
    private mutating func variable(_ name: String, _ faults: inout FaultReporter)
        -> VariableState?
    {
        if !variables.unused.isEmpty { variables.unused.remove(name) }
        guard let state = variables.states[name] else { return nil }
        switch state {
        case .value, .absent, .faulty:
            return state
        case .resolving(let field):
            faults.report(
                .variableCycle,
                "the variable `\(name)` refers to itself",
                at: field.node
            )
            variables.states[name] = .faulty
        case .pending(let field):
            guard variables.depth < Self.deepestVariable else {
                faults.report(
                    .outOfRange,
                    "`\(name.excerpt)`: \(Self.deepestVariable) variables in a row each refer to "
                        + "one that is declared after it",
                    at: field.node,
                    help: "declare each variable before the variables that use it"
                )
                variables.states[name] = .faulty
                break
            }
            variables.states[name] = .resolving(field)
            variables.depth += 1
            let scalar = scalarOrStandIn(field, &faults)
            variables.depth -= 1
            let isInCycle = if case .faulty? = variables.states[name] { true } else { false }
            variables.states[name] =
                switch scalar {
                case let scalar? where !isInCycle:
                    scalar.type == .null ? .absent(field) : .value(scalar)
                default: .faulty
                }
        }
        return variables.states[name]
    }

    /// Notes a value of this run in a setting, if the setting belongs to the identity of an order.
    mutating func noteRunValue(_ field: Field, _ faults: inout FaultReporter) {
        let setting = faults.path.first ?? field.name
        // A header field goes by its own name.
        let isKey = setting.lowercased() == "idempotency-key"
        if isReadingBody || isKey || ["url", "text", "idempotencyKey"].contains(setting) {
            isOrderOfRun = true
        }
    }
}

extension ValueFault {
    /// A value of the run that would give a task another shard in each run.
    fileprivate static func runValue(_ written: String) -> ValueFault {
        ValueFault(
            .badExpression,
            "`\(written.excerpt)` differs in every run, and all shards of a job need the same ids",
            help: "use a variable instead, such as `--var date=2026-11-21`"
        )
    }

    /// `raw:` where nothing is encoded.
    fileprivate static func misplacedRaw(_ written: Substring) -> ValueFault {
        ValueFault(
            .badExpression,
            "`raw:` is only for URLs, and for captured values in paths: elsewhere values are never "
                + "encoded",
            likely: "${\(Substring(written.utf8.dropFirst("${raw:".utf8.count)))"
        )
    }
}

/// How many bytes the values with expressions have: few rows with long values would fill the
/// memory.
struct FilledIn: Sendable {
    /// Bytes of all such values of one task, or of all settings outside of tasks.
    private static let most = 16 << 20
    /// Bytes that make a value a long one, and of all long ones of the job together.
    private static let shortLength = 4 << 10
    private static let mostOfLongValues = 64 << 20

    /// Bytes of the values for the task being read, or before the first one.
    var length = 0
    /// Bytes of the long values of all owners.
    private var lengthOfLongValues = 0

    /// Whether there are so many long values that the job is refused, and no further row is worth
    /// a look.
    var isTooMuch: Bool { lengthOfLongValues > Self.mostOfLongValues }

    mutating func forgetLongValues() { lengthOfLongValues = 0 }

    /// Counts the bytes of a value; false when the values of one owner become too many bytes,
    /// which is reported once.
    mutating func takes(_ count: Int, of field: Field, _ faults: inout FaultReporter) -> Bool {
        guard length <= Self.most, !isTooMuch else { return false }
        length += count
        if count > Self.shortLength { lengthOfLongValues += count }
        let brings = "`\(field.name.excerpt)`: this value brings the filled-in text"
        if length > Self.most {
            let message = "\(brings) to more than 16 MiB\(faults.context)"
            faults.report(.outOfRange, message, at: field.node)
            return false
        }
        if isTooMuch {
            faults.report(
                .outOfRange,
                "\(brings), without short values, to more than 64 MiB",
                at: field.node,
                help: "send long content from a `file`"
            )
            return false
        }
        return true
    }
}

/// The names under `capture` of the tasks that other tasks refer to.
struct CaptureNames: Sendable {
    private var known: [NodeID: Set<String>] = [:]

    /// The names of a task and its steps, which are gone through once.
    mutating func find(of task: NodeID, in document: Document) -> Set<String> {
        if let names = known[task] { return names }
        var names: Set<String> = []
        let steps = document.value(of: task, for: "steps").map { $0.value }
        let actions = steps.map { document.elements(of: $0).flatMap { document.entries(of: $0) } }
        for holder in [task] + (actions ?? []).map(\.value) {
            guard let captures = document.value(of: holder, for: "capture")?.value else { continue }
            for entry in document.entries(of: captures) where !document.isFree(entry.key) {
                names.insert(document.text(of: entry.key))
            }
        }
        known[task] = names
        return names
    }
}

/// The variables of a job: the file's and those of `--var`.
///
/// A variable of the file may refer to others; it is resolved when it is first needed.
struct VariableTable: Sendable {
    /// The variables of the file in its order.
    var names: [String] = []
    var states: [String: VariableState] = [:]
    /// Names of `--var` that neither the file declares nor anything has used so far.
    var unused: Set<String> = []
    /// How many variables are being resolved, one inside the other.
    var depth = 0
}

enum VariableState: Sendable {
    case pending(Field)
    /// Its value is being resolved: met again, the variable refers to itself.
    case resolving(Field)
    case value(ScalarValue)
    /// Declared as null: `--var` must give it.
    case absent(Field)
    /// Its own fault is reported; references to it have none.
    case faulty
}
