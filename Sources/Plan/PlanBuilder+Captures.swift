internal import Diagnostics
internal import JobFile
internal import TransferModel

extension PlanBuilder {
    /// Takes the captures that a task refers to from the reader.
    mutating func noteCaptures(of number: Int, needs: [Need], isRight: Bool) {
        for reference in reader.captureReferences {
            captureUses.append(.init(user: number, source: reference.source))
            if isRight, !needs.contains(Need(entry: reference.source)) {
                distantCaptures.append((number, reference))
            }
        }
        reader.captureReferences.removeAll(keepingCapacity: true)
    }

    /// The same of the tasks of a list, each of which is filled in as its entry is.
    func captureUses(of tasks: TaskList) -> CaptureUses {
        var uses = CaptureUses()
        var rest = captureUses.pairs[...]
        while let number = rest.first?.user {
            let own = rest.prefix { $0.user == number }
            rest = rest.dropFirst(own.count)
            let key = reader.tasks.entries[number].key
            guard let user = tasks.find(idOf: key, in: document) else { continue }
            let sources = own.compactMap {
                tasks.find(idOf: reader.tasks.entries[$0.source].key, in: document)
            }
            for task in tasks.tasks(of: user) {
                for source in sources {
                    uses.append(.init(user: task, source: tasks.tasks(of: source).lowerBound))
                }
            }
        }
        return uses
    }

    /// Reports captures of tasks that are not needed, so that they may not have ended when the value is wanted.
    mutating func reportMissingNeeds(in graph: TaskGraph) {
        guard !distantCaptures.isEmpty, knowsAllNeeds else { return }
        var search = NeedSearch(graph)
        // One captured value that many tasks need is looked for together.
        let ordered = distantCaptures.sorted {
            ($0.reference.source, $0.user) < ($1.reference.source, $1.user)
        }
        let tasks = reader.tasks
        for (user, reference) in ordered {
            let source = graph.unit(of: tasks.tasks(of: reference.source).lowerBound)
            // All tasks of a `forEach` are filled in alike, and each must need what fills it in.
            let units = tasks.tasks(of: user).lazy.map { graph.unit(of: $0) }
            let isSafe = units.allSatisfy { search.leads(from: $0, to: source) }
            guard !isSafe else { continue }
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
