internal import Diagnostics
internal import TransferModel

/// Finds a `when` each of whose alternatives asks for another end of an item of a `forEach` than
/// the success that `needs` or the same mapping asks of all its items.
enum ConditionCheck {
    static func check(_ draft: TaskDraft, at place: TaskPlace, _ reader: inout Reader) {
        guard let when = draft.when, let value = place.setting("when")?.value else { return }
        let whole = draft.requirements.filter { $0.need.row == nil && $0.term.isOfSuccess }
        let dead = when.requirements.filter { item in
            item.need.row != nil && !item.term.admits(.succeeded, isLast: true)
                && whole.contains {
                    $0.need.entry == item.need.entry
                        && $0.term.alternatives.isSuperset(of: item.term.alternatives)
                }
        }
        let alternatives = dead.reduce(AlternativeSet()) { $0.union($1.term.alternatives) }
        guard let item = dead.first, alternatives.isSuperset(of: item.term.allAlternatives)
        else { return }
        let group = reader.id(of: Need(entry: item.need.entry)).excerpt
        let id = reader.id(of: item.need).excerpt
        place.report(
            .conflictingKeys,
            "`when`\(place.context) never holds: `\(id)` must not succeed, "
                + "but all tasks of `\(group)` must",
            at: value,
            help: "name single items in `needs`; `ended: \(group)` in `when` waits for all of them",
            &reader.faults.log
        )
    }
}
