internal import TransferModel

/// Which interfaces sessions and tasks may use, and how their packets are marked.
enum NetworkAccessTable {
    /// The keys of `allows…`, and the meaning of each.
    static let flags: [(key: String, access: NetworkAccess, summary: String)] = [
        ("allowsCellularAccess", .cellular, "Whether cellular interfaces may be used."),
        (
            "allowsExpensiveNetworkAccess", .expensive,
            "Whether interfaces may be used whose traffic costs money."
        ),
        (
            "allowsConstrainedNetworkAccess", .constrained,
            "Whether interfaces may be used that should carry as little traffic as possible."
        ),
    ]

    /// How a session treats an interface of unknown class.
    private enum Unclassified: String, CaseIterable {
        case allow
        case deny
    }

    static let session: [Setting<SessionConfiguration>] =
        flags.map { flag in
            Setting(flag.key, .boolean, default: "true", flag.summary) { session, isAllowed in
                session.access.set(flag.access, isAllowed)
            }
        } + [
            Setting(
                "unclassifiedInterfaces",
                ValueType<Unclassified>.choice(),
                default: "allow",
                "Whether a false `allows…` flag also forbids interfaces of unknown class."
            ) { $0.access.set(.unclassified, $1 == .allow) },
            Setting(
                "waitsForConnectivity",
                .boolean,
                default: "false",
                "Whether a task without a permitted interface waits for one, within "
                    + "`timeoutIntervalForResource`."
            ) { $0.waitsForConnectivity = $1 },
            Setting(
                "isDiscretionary",
                .boolean,
                default: "false",
                "Whether transfers of a background session wait for external power and an "
                    + "inexpensive network."
            ) { $0.isDiscretionary = $1 },
            Setting(
                "networkServiceType",
                .choice(),
                default: "default",
                "The kind of traffic: marks packets with a DSCP and a socket priority."
            ) { $0.networkServiceType = $1 },
            Setting(
                "multipathServiceType",
                .choice(),
                default: "none",
                "With a value other than `none`, connections use Multipath TCP where kernel and "
                    + "server support it."
            ) { $0.multipathServiceType = $1 },
        ]

    /// A task may only forbid.
    static let task: [Setting<TaskDraft>] = flags.map { flag in
        Setting(flag.key, .boolean, default: .words("the session's"), flag.summary) {
            task,
            isAllowed in
            task.allowedAccess.set(flag.access, isAllowed)
            task.deniedAccess.set(flag.access, !isAllowed)
        }
    }
}

extension NetworkAccess {
    fileprivate mutating func set(_ member: NetworkAccess, _ isAllowed: Bool) {
        if isAllowed { insert(member) } else { remove(member) }
    }
}
