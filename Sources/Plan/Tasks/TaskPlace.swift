internal import Diagnostics
internal import JobFile
internal import TransferModel

/// A task in the job file, for checks that point at its keys.
struct TaskPlace {
    let document: Document
    let entry: TaskList.Entry

    /// Which task a message is about, to be put behind the name of a key.
    var context: String {
        " in \(entry.kind.rawValue) `\(document.text(of: entry.key).excerpt)`"
    }

    /// The key and the value of a setting; nil when the task does not have it.
    func setting(_ name: String) -> (key: NodeID, value: NodeID)? {
        document.value(of: entry.value, for: name)
    }

    /// Where a key of the task stands; the task's id when it is not there.
    func key(_ name: String) -> NodeID { setting(name)?.key ?? entry.key }

    /// An error at a value or key.
    func fault(
        _ code: JobCode,
        _ message: String,
        at node: NodeID,
        help: String? = nil
    ) -> Diagnostic {
        Diagnostic(.error, code, message, at: document.range(of: node), help: help)
    }

    /// An error at a header field of the task that the runner itself makes; nil when the task does
    /// not set that field.
    func reservedHeader(_ name: String, _ reason: String) -> Diagnostic? {
        guard let headers = setting("headers")?.value,
            let field = document.entries(of: headers).first(where: {
                document.text(of: $0.key).lowercased() == name.lowercased()
            })
        else { return nil }
        return fault(
            .reservedHeader,
            "`headers`: `\(name)` cannot be set by hand: \(reason)",
            at: field.key
        )
    }

    /// A warning that a later run cannot know an order again, and of the `effect`.
    func warningOfRunOrder(at key: NodeID, _ effect: String) -> Diagnostic {
        Diagnostic(
            .warning,
            JobCode.orderOfRun,
            "`${run.…}` in the URL, the body or the key\(context) makes another order of it in every run, "
                + effect,
            at: document.range(of: key),
            help: "take what belongs to the order from a variable, such as `--var date=2026-11-21`"
        )
    }
}
