package import JobFile
internal import SystemKit
internal import TransferModel

/// The names that a job file declares, read without checking anything, so that a shell can
/// complete the names of a file that is being written.
package struct DeclaredNames {
    /// The ids of all tasks, in order; one id for all tasks of a `forEach`.
    package private(set) var tasks: [String] = []
    /// The names of the variables, in order.
    package private(set) var variables: [String] = []

    /// Reads the names; keys of the free space (`x-…`) are not names.
    package init(of document: Document) {
        for key in JobTable.table.keys.keys where key.shape.isOfTasks {
            tasks += Self.names(in: key.name, of: document)
        }
        variables = Self.names(in: "variables", of: document)
    }

    /// The names that the outermost sections declare: of tasks, sessions, variables and secrets.
    static func all(of document: Document) -> Set<String> {
        guard document.kind(of: document.root) == .mapping else { return [] }
        var names: Set<String> = []
        for key in JobTable.table.keys.keys where key.shape.hasChosenNames {
            guard let section = document.value(of: document.root, for: key.name) else { continue }
            for entry in document.entries(of: section.value) {
                let name = document.text(of: entry.key)
                // A name without a value may be the end of a value after its comma.
                let isEmpty = document.withBytes(of: entry.value) { $0.isEmpty }
                let isAlone = document.kind(of: entry.value) == .scalar && isEmpty
                if !isAlone, PublicValues.isName(name) { names.insert(name) }
            }
        }
        return names
    }

    private static func names(in section: String, of document: Document) -> [String] {
        guard document.kind(of: document.root) == .mapping,
            let section = document.value(of: document.root, for: section)
        else { return [] }
        return document.entries(of: section.value).map { document.text(of: $0.key) }
            .filter { !$0.hasBytePrefix("x-") }
    }
}

extension Shape {
    /// Whether this is the shape of a section of tasks.
    fileprivate var isOfTasks: Bool {
        guard case .named(.mapping(let table), _, _) = self else { return false }
        return TaskSpec.Kind.allCases.contains { TaskTable.table(of: $0).keys.name == table.name }
    }
}
