package import Diagnostics
package import JobFile
internal import SystemKit
package import TransferModel

extension Reader {
    /// Reports a session that forbids interfaces and lets the kernel choose some.
    mutating func checkMultipath(of session: SessionConfiguration, _ node: NodeID) {
        guard session.multipathServiceType != .none, session.access.isRestricted else { return }
        report(
            .conflictingKeys,
            "`multipathServiceType`\(context) cannot be kept with interfaces that are forbidden",
            at: document.value(of: node, for: "multipathServiceType")?.key ?? node,
            help: "the kernel chooses the interfaces of the other paths by itself"
        )
    }
}

/// A file of the machine that says what its interfaces are: `interfaces`, as in `network` of a job file.
package struct HostNetwork: Sendable {
    /// None when something is wrong with the file.
    package let rules: [InterfaceRule]
    package let diagnostics: [Diagnostic]

    /// Reads the file; nothing is filled in.
    package init(_ document: Document) {
        var reader = Reader(
            document: document,
            environment: [:],
            folder: "/",
            variables: VariableTable(),
            run: .standIn,
            fileStatus: { _ in .missing },
            patternFault: { _ in nil }
        )
        var draft = NetworkDraft()
        reader.apply(
            NetworkTable.table,
            to: &draft,
            from: document.root,
            ownedBy: document.root
        )
        rules = reader.errorCount == 0 ? draft.interfaces : []
        diagnostics = reader.diagnostics
    }
}
