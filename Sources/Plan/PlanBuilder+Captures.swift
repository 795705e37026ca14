internal import Diagnostics
internal import JobFile
internal import TransferModel

extension PlanBuilder {
    /// Notes the captures that a task refers to; `needs` are those of all tasks of its entry.
    mutating func note(_ references: [CaptureReference], of number: Int, needs: [Need]) {
        for reference in references {
            captureUses.append(.init(user: number, source: reference.source))
            if !needs.contains(Need(entry: reference.source)) {
                distantCaptures.append((number, reference))
            }
        }
    }

    /// The same of the tasks of a list, each of which is filled in as its entry is.
    func captureUses(of tasks: TaskList) -> CaptureUses {
        var uses = CaptureUses()
        var rest = captureUses.pairs[...]
        while let number = rest.first?.user {
            let own = rest.prefix { $0.user == number }
            rest = rest.dropFirst(own.count)
            guard let user = position(of: number, in: tasks) else { continue }
            let sources = own.compactMap { position(of: $0.source, in: tasks) }
            for task in tasks.tasks(of: user) {
                for source in sources {
                    uses.append(.init(user: task, source: tasks.tasks(of: source).lowerBound))
                }
            }
        }
        return uses
    }

    /// Reports captures of tasks that are not needed, so that they may not have ended when the
    /// value is wanted.
    mutating func reportMissingNeeds(in graph: TaskGraph) {
        guard !distantCaptures.isEmpty else { return }
        let tasks = reader.tasks
        // All tasks of a `forEach` are filled in alike, and each must need what fills it in.
        let questions = distantCaptures.map { user, reference in
            NeedSearch.Question(
                nodes: graph.units(of: tasks.tasks(of: user)),
                source: graph.unit(of: tasks.tasks(of: reference.source).lowerBound)
            )
        }
        let unknown = entriesOfUnknownNeeds.map { graph.units(of: tasks.tasks(of: $0)) }
        let answers = NeedSearch(graph, unknown: unknown).answers(to: questions)
        for ((user, reference), isNeeded) in zip(distantCaptures, answers) where !isNeeded {
            let id = reader.id(of: Need(entry: reference.source)).excerpt
            let isOwn = user == reference.source
            let entry = reader.tasks.entries[user]
            let hasNeeds = document.value(of: entry.value, for: "needs") != nil
            reader.add(
                Diagnostic(
                    .error,
                    .missingNeed,
                    isOwn
                        ? "`\(id)` cannot use what it captures itself"
                        : "`\(reader.id(of: Need(entry: user)).excerpt)` uses what `\(id)` captures and does not need it",
                    at: reference.range,
                    help: isOwn ? nil : hasNeeds ? "add `\(id)` to `needs`" : "add `needs: [\(id)]`"
                )
            )
        }
    }
}
