internal import Diagnostics
internal import JobFile
internal import TransferModel

extension PlanBuilder {
    /// Takes the captures that a task refers to from the reader.
    mutating func noteCaptures(of number: Int, needs: [Int], isRight: Bool) {
        for reference in reader.captureReferences {
            captureUses.append(.init(user: number, source: reference.source))
            if isRight, !needs.contains(reference.source) {
                distantCaptures.append((number, reference))
            }
        }
        reader.captureReferences.removeAll(keepingCapacity: true)
    }

    /// Reports captures of tasks that are not needed, so that they may not have ended when the value is wanted.
    mutating func reportMissingNeeds(in graph: TaskGraph) {
        guard !distantCaptures.isEmpty, knowsAllNeeds else { return }
        var search = NeedSearch(graph)
        // One captured value that many tasks need is looked for together.
        let ordered = distantCaptures.sorted {
            ($0.reference.source, $0.user) < ($1.reference.source, $1.user)
        }
        for (user, reference) in ordered where !search.leads(from: user, to: reference.source) {
            let id = reader.id(of: reference.source).excerpt
            let isOwn = user == reference.source
            let entry = reader.tasks.entries[user]
            let hasNeeds = document.value(of: entry.value, for: "needs") != nil
            reader.add(
                Diagnostic(
                    .error,
                    .missingNeed,
                    isOwn
                        ? "`\(id)` cannot use what it captures itself"
                        : "`\(reader.id(of: user).excerpt)` uses what `\(id)` captures and does not need it",
                    at: reference.range,
                    help: isOwn ? nil : hasNeeds ? "add `\(id)` to `needs`" : "add `needs: [\(id)]`"
                )
            )
        }
    }
}
