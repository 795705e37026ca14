internal import Diagnostics
internal import JobFile
internal import TransferModel

/// What the tasks share: variables, secrets, what stands at the top, `defaults` and `sessions`.
extension PlanBuilder {
    /// Reads what the tasks share: all but them.
    mutating func readShared() -> TaskReader {
        readTop()
        return readSettings()
    }

    /// Reads what stands at the top, its sections not looked into but for `schedule` and `report`.
    mutating func readTop() {
        declareVariables()
        declareSecrets()
        // Before the variables: none may be filled in with what a secret is.
        defineSecrets()
        reader.forgetVariablesOfSecrets()
        reader.resolveVariables()
        reader.apply(JobTable.table, to: &draft, from: document.root, ownedBy: document.root)
        if let field = draft.secrets { _ = reader.isMapping(field) }
    }

    /// Notes the variables of the file and of the options, none of them resolved.
    private mutating func declareVariables() {
        for (name, text) in options.variables {
            let value = ScalarValue(text: text, type: Scalar(plain: text), isFilledIn: true)
            reader.variables.states[name] = .value(value)
            reader.variables.unused.insert(name)
        }
        guard let (key, node) = document.value(of: document.root, for: "variables"),
            reader.isMapping(Field(name: "variables", key: key, node: node))
        else { return }
        for entry in document.entries(of: node) where !reader.isFree(entry.key) {
            declareVariable(document.text(of: entry.key), entry.key, entry.value)
        }
    }

    private mutating func declareVariable(_ name: String, _ key: NodeID, _ node: NodeID) {
        guard Expression.isVariableName(name) else {
            reader.report(
                .badID,
                "`\(name)` is not a variable name",
                at: key,
                help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
            )
            return
        }
        reader.variables.unused.remove(name)
        guard case .value(var given)? = reader.variables.states[name] else {
            reader.variables.names.append(name)
            reader.variables.states[name] = .pending(Field(name: name, key: key, node: node))
            return
        }
        // Declared as a string, it stays one: `--var id=00123` and `--var id=123` are both text.
        if document.kind(of: node) == .scalar, document.scalar(of: node) == .string {
            given.type = .string
            reader.variables.states[name] = .value(given)
        }
    }

    /// Each has connections of its own, and a copy of what `defaults` say.
    private static let mostSessions = 1000

    /// Reads `defaults` and `sessions`.
    private mutating func readSettings() -> TaskReader {
        var defaults = DefaultsDraft()
        if let field = draft.defaults {
            reader.owner = .defaults
            reader.apply(DefaultsTable.table, to: &defaults, from: field.node, ownedBy: field.key)
        }
        let shared = reader.takeSecretUses()
        var sessions: [SessionConfiguration] = []
        var secrets: [[SecretUse]] = []
        var identifiers = SessionIdentifierCheck()
        if let field = draft.sessions, reader.isMapping(field) {
            for entry in document.entries(of: field.node) where !reader.isFree(entry.key) {
                checkID(entry.key, "session name")
                reader.owner = .session(entry.key)
                var session = defaults.session
                session.name = document.text(of: entry.key)
                reader.apply(
                    SessionTable.table,
                    to: &session,
                    from: entry.value,
                    ownedBy: entry.key
                )
                identifiers.check(session, entry, &reader)
                guard sessions.count < Self.mostSessions else {
                    reader.report(
                        .outOfRange,
                        "a job may have at most \(Self.mostSessions) sessions",
                        at: entry.key
                    )
                    break
                }
                reader.settleDiscretion(of: &session, entry.value)
                reader.checkMultipath(of: session, entry.value)
                reader.sessions[session.name] = sessions.count
                sessions.append(session)
                let inherited = shared.filter { $0.stands(in: session, as: defaults.session) }
                secrets.append(reader.takeSecretUses() + inherited)
            }
        }
        if sessions.isEmpty {
            reader.settleDiscretion(of: &defaults.session, nil)
            sessions = [defaults.session]
            secrets = [shared]
            reader.sessions[defaults.session.name] = 0
        }
        reader.owner = .job
        return TaskReader(
            shared: SharedSettings(
                sessions: sessions,
                defaults: defaults.task,
                sessionSecrets: secrets
            )
        )
    }

    /// Reports a key that is not of the form that names of sessions and tasks have.
    mutating func checkID(_ key: NodeID, _ what: String) {
        guard !document.withBytes(of: key, TaskID.isValid) else { return }
        reader.report(
            .badID,
            "`\(document.text(of: key))` is not a \(what)",
            at: key,
            help: "it has letters, digits, `.`, `_` and `-`, and begins with a letter or digit"
        )
    }
}
