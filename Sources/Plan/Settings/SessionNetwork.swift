package import Diagnostics
package import JobFile
internal import SystemKit
package import TransferModel

/// Checks of the network settings of one session together.
enum SessionNetwork {
    /// Makes a discretionary session wait for networks that are not expensive; warns if the session
    /// is not a background session.
    ///
    /// - Parameters:
    ///   - session: The session as the file has it.
    ///   - node: Its mapping; nil for a session without one.
    ///   - reader: Gets the warning.
    static func settleDiscretion(
        of session: inout SessionConfiguration,
        _ node: NodeID?,
        _ reader: inout Reader
    ) {
        guard session.isDiscretionary else { return }
        if session.kind == .background {
            session.access.remove(.expensive)
            session.waitsForConnectivity = true
            return
        }
        session.isDiscretionary = false
        // In `defaults` the key is meant for the background sessions alone.
        guard let key = node.flatMap({ reader.document.value(of: $0, for: "isDiscretionary")?.key })
        else { return }
        reader.faults.log.warn(
            .backgroundOnly,
            "`isDiscretionary`\(reader.context) has no effect: only transfers of a background "
                + "session can wait",
            at: reader.document.range(of: key),
            help: "write `configuration: background` and an `identifier`"
        )
    }

    /// Reports a session that forbids interfaces and lets the kernel choose some.
    static func checkMultipath(
        of session: SessionConfiguration,
        _ node: NodeID,
        _ reader: inout Reader
    ) {
        guard session.multipathServiceType != .none, session.access.isRestricted else { return }
        reader.report(
            .conflictingKeys,
            "`multipathServiceType`\(reader.context) does not work with forbidden interfaces",
            at: reader.document.value(of: node, for: "multipathServiceType")?.key ?? node,
            help: "the kernel alone chooses the interfaces of the other paths"
        )
    }
}

/// A file of the machine that classifies its interfaces: `interfaces`, as in `network` of a job
/// file.
package struct HostNetwork: Sendable {
    /// The rules of the file; empty when the file has an error.
    package let rules: [InterfaceRule]
    /// The faults of the file; an error leaves `rules` empty.
    package let diagnostics: [Diagnostic]

    /// Reads the file; nothing is filled in.
    package init(_ document: Document) {
        var reader = Reader(
            document: document,
            values: Interpolator(),
            folder: "/",
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
        rules = reader.faults.log.hasErrors ? [] : draft.interfaces
        diagnostics = reader.faults.log.diagnostics
    }
}
