internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Records which tasks use which captures, and finds uses of a capture whose task may not have
/// ended before the use.
///
/// The positions of entries identify tasks, because all tasks of a `forEach` use the same captures.
struct CaptureCheck {
    private var uses = CaptureUses()
    /// The captures of tasks that the using task does not need directly: another task that it needs
    /// must need them.
    private var distant: [(user: Int, reference: CaptureReference)] = []
    /// The captures of needs after whose failure `when` lets the using task start.
    private var unsure: [(user: Int, reference: CaptureReference)] = []
    /// The entries whose needs could not be read.
    private var entriesOfUnknownNeeds: [Int] = []

    /// Notes the captures that the tasks of an entry use; `needs` are those of all of these tasks.
    mutating func note(_ references: [CaptureReference], of entry: Int, needs: [Requirement]) {
        for reference in references {
            uses.append(.init(user: entry, source: reference.source))
            let terms = needs.filter { $0.need == Need(entry: reference.source) }.map(\.term)
            if terms.isEmpty {
                distant.append((entry, reference))
            } else if !reference.isInCondition, !terms.demandSuccess {
                unsure.append((entry, reference))
            }
        }
    }

    /// Notes an entry whose needs have a fault: the check assumes that it needs every task.
    mutating func noteUnknownNeeds(of entry: Int) { entriesOfUnknownNeeds.append(entry) }

    /// The uses between the tasks of a list.
    ///
    /// `position` gives an entry's position in that list; nil when the list does not have it.
    func uses(in tasks: TaskList, position: (_ entry: Int) -> Int?) -> CaptureUses {
        var result = CaptureUses()
        var rest = uses.pairs[...]
        while let number = rest.first?.user {
            let own = rest.prefix { $0.user == number }
            rest = rest.dropFirst(own.count)
            guard let user = position(number) else { continue }
            let sources = own.compactMap { position($0.source) }
            for task in tasks.tasks(of: user) {
                for source in sources {
                    result.append(.init(user: task, source: tasks.tasks(of: source).lowerBound))
                }
            }
        }
        return result
    }

    /// An error for each use of a capture whose task the user does not need.
    func faults(in graph: TaskGraph, of tasks: TaskList, _ document: Document) -> [Diagnostic] {
        // A comparison may use a capture that a failed task does not have.
        faultsOfDistant(inCondition: true, in: graph, of: tasks, document)
            + faultsOfDistant(inCondition: false, in: graph.ofSuccesses(), of: tasks, document)
            + unsure.map { use in
                let user = document.text(of: tasks.entries[use.user].key).excerpt
                let id = document.text(of: tasks.entries[use.reference.source].key).excerpt
                return Diagnostic(
                    .error,
                    JobCode.missingNeed,
                    "`\(user)` uses a capture of `\(id)`, but its `when` lets it start if `\(id)` "
                        + "did not succeed",
                    at: use.reference.range,
                    help: "a task that did not succeed has captured nothing"
                )
            }
    }

    private func faultsOfDistant(
        inCondition: Bool,
        in graph: @autoclosure () -> TaskGraph,
        of tasks: TaskList,
        _ document: Document
    ) -> [Diagnostic] {
        let distant = distant.filter { $0.reference.isInCondition == inCondition }
        guard !distant.isEmpty else { return [] }
        let graph = graph()
        // All tasks of a `forEach` use the capture, so each of them must need its task.
        let questions = distant.map { user, reference in
            NeedSearch.Question(
                nodes: graph.units(of: tasks.tasks(of: user)),
                source: graph.unit(of: tasks.tasks(of: reference.source).lowerBound)
            )
        }
        let unknown = entriesOfUnknownNeeds.map { graph.units(of: tasks.tasks(of: $0)) }
        let answers = NeedSearch(graph, unknown: unknown).answers(to: questions)
        return zip(distant, answers).lazy.filter { !$1 }.map { use, _ in
            let user = tasks.entries[use.user]
            let id = document.text(of: tasks.entries[use.reference.source].key).excerpt
            let isOwn = use.user == use.reference.source
            let hasNeeds = document.value(of: user.value, for: "needs") != nil
            return Diagnostic(
                .error,
                JobCode.missingNeed,
                isOwn
                    ? "`\(id)` cannot use its own captures"
                    : "`\(document.text(of: user.key).excerpt)` uses a capture of `\(id)` but "
                        + "does not list it in `needs`",
                at: use.reference.range,
                help: isOwn ? nil : hasNeeds ? "add `\(id)` to `needs`" : "add `needs: [\(id)]`"
            )
        }
    }
}
