internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

// Where a secret may stand: in values of header fields, in bodies, and in URLs where its
// declaration allows it.
extension Reader {
    /// A URL for display only; nil when some of it is secret, or not known yet.
    mutating func shownURL(_ field: Field) -> String? {
        guard let url = values.urlOrStandIn(field, &faults), url.secrets.isEmpty, !url.isKnownLater
        else {
            return nil
        }
        return url.text
    }

    /// A variable of the environment that gives a secret counts as used.
    mutating func forgetVariablesOfSecrets() {
        for name in values.variables.unused
        where values.secrets.first(ofEnvironment: name, behind: PlanOptions.variablePrefix) != nil {
            values.variables.unused.remove(name)
        }
    }

    /// Reports secrets in the name of a file.
    mutating func reportInPath(_ secrets: SecretSet, _ field: Field) {
        report(
            .secretInPath,
            "`\(field.name.excerpt)`: the \(values.secrets.words(for: secrets)) "
                + "would appear in the name of a file",
            at: field.node
        )
    }

    /// The text of a value that is sent, any scalar but null; notes the secrets in it.
    mutating func sentText(_ field: Field, as place: SecretUse.Place) -> String? {
        guard let scalar = sentScalar(field, as: place) else { return nil }
        return text(of: scalar, field)
    }

    /// A value that is sent, or a stand-in for one that is known only when the task starts; notes
    /// the secrets in it.
    mutating func sentScalar(_ field: Field, as place: SecretUse.Place) -> ScalarValue? {
        guard
            let scalar = place == .url
                ? values.urlOrStandIn(field, &faults) : values.scalarOrStandIn(field, &faults)
        else {
            return nil
        }
        if !scalar.secrets.isEmpty {
            note(SecretUse(secrets: scalar.secrets, place: place, node: field.node))
        }
        return scalar
    }

    /// The value that a text of a file becomes, for a body; `field` names the file.
    mutating func sentTemplate(_ text: String, of field: Field) -> ScalarValue? {
        faults.usePlace(of: field.node)
        guard let scalar = values.filledScalar(field, text: text, &faults) else { return nil }
        if !scalar.secrets.isEmpty {
            note(SecretUse(secrets: scalar.secrets, place: .body, node: field.node))
        }
        return scalar
    }

    private mutating func note(_ use: SecretUse) {
        values.secrets.note(use)
        secretUses.append(use)
    }

    /// The uses noted so far, which are forgotten.
    mutating func takeSecretUses() -> [SecretUse] {
        defer { secretUses = [] }
        return secretUses
    }

    /// A header field whose value may hold secrets; reports one that follows a redirect anywhere.
    mutating func headerField(_ field: Field) -> HeaderField? {
        let count = secretUses.count
        let sent = with(\.takesBodyDigests, true) {
            $0.sentScalar(field, as: .header(field.name))
        }
        guard let scalar = sent, let text = text(of: scalar, field) else { return nil }
        var header = HeaderField(name: field.name, value: text, isCaptured: scalar.isCaptured)
        header.bodyDigests = scalar.bodyDigests
        guard secretUses.count > count, header.mayCrossOrigins else { return header }
        report(
            .secretToOtherOrigin,
            "the \(values.secrets.words(for: secretUses[count].secrets)) may not appear in "
                + "`\(field.name)`: a redirect to another origin carries the field along",
            at: field.node,
            help: "send it in another header field"
        )
        return nil
    }

    /// The URL of a request; its path and query may hold secrets, where the declarations allow it.
    ///
    /// For a URL that is known only when the task starts, this is a URL with the same origin.
    /// Without a known origin it is nil, without a report.
    ///
    /// `parse` gets the text and a URL whose origin it may well have.
    mutating func url(
        _ field: Field,
        parse: (String, TransferURL?) throws(ValueFault) -> TransferURL = URLText.parse(_:like:)
    ) -> TransferURL? {
        guard let scalar = sentScalar(field, as: .url), let text = text(of: scalar, field),
            scalar.secrets.isEmpty || mayHoldSecrets(scalar, field)
        else { return nil }
        if let start = scalar.standInStart, !URLText.hasOrigin(text.slice(0..<start)) { return nil }
        let url: TransferURL
        do {
            url = try parse(text, lastURL)
        } catch {
            report(error, of: field)
            return nil
        }
        if !url.isLocal, !url.isCustom, !url.isOfFileServer { lastURL = url }
        checkSecrets(scalar.secrets, sentTo: url.origin, at: field.node)
        return url
    }

    /// Reports the secrets that may not go to an origin, at the URL; `use` is their place, if
    /// elsewhere.
    mutating func checkSecrets(
        _ sent: SecretSet,
        sentTo origin: Origin,
        at node: NodeID,
        from use: NodeID? = nil,
        isInStream: Bool = false,
        atLogin: Bool = false
    ) {
        guard !sent.isEmpty else { return }
        for declaration in sent.positions.compactMap({ values.secrets.declarations[$0] })
        where !declaration.mayGo(to: origin, atLogin: atLogin) {
            let isPlain = !origin.isConfidential && !atLogin
            let places = use.map {
                [Diagnostic.Note("it is used here", at: document.range(of: $0))]
            }
            report(
                isPlain ? .secretOverPlainHTTP : .secretToOtherOrigin,
                "the secret `\(declaration.name)`\(context) "
                    + (isPlain
                        ? "goes over \(isInStream ? "a connection without TLS" : "plain http"), "
                            + "where others can read it"
                        : "goes to `\(origin.text)`, which is not one of its `origins`"),
                at: node,
                notes: (places ?? []) + [.init("it is declared here", at: declaration.range)],
                help: !isPlain ? nil : isInStream ? "set `secure: true`" : "use `https://`"
            )
        }
    }

    /// Whether the secrets of a URL are after its host and allowed there; reports the secrets that
    /// are not.
    private mutating func mayHoldSecrets(_ scalar: ScalarValue, _ field: Field) -> Bool {
        let front = scalar.text.slice(0..<scalar.firstSecret)
        // A URL that begins with a captured value is checked when that value is known.
        guard URLText.hasOrigin(front) || scalar.standInStart == 0 else {
            report(
                .secretInURL,
                "`\(field.name)`: the \(values.secrets.words(for: scalar.secrets)) may not appear "
                    + "in the scheme or the host of a URL",
                at: field.node,
                help: "write both out, so that the job file shows where the secret goes"
            )
            return false
        }
        for position in scalar.secrets.positions {
            guard let declaration = values.secrets.declarations[position], !declaration.allowsURL
            else {
                continue
            }
            report(
                .secretInURL,
                "`\(field.name)`: the secret `\(declaration.name)` may not appear in a URL, "
                    + "which servers and proxies keep in their logs",
                at: field.node,
                notes: [.init("it is declared here", at: declaration.range)],
                help: "send it in a header, or allow it with `allowInURL: true` at the secret"
            )
            return false
        }
        return true
    }
}

// Values made of others under names of secrets.
extension Reader {
    /// Whether the value of an expression has the name of a secret, or is made of a variable that
    /// has one.
    func isConfidential(_ expression: Expression, _ variables: ConfidentialVariables) -> Bool {
        if variables.contains(expression) { return true }
        guard expression.namespace == .item,
            let node = values.row.flatMap({ self.node(of: $0, at: expression.name) })
        else { return false }
        return variables.areIn(node, of: document)
    }

    /// The place of an item's value in the job file.
    private func node(of row: Row, at path: String) -> NodeID? {
        switch row {
        case .node(let node): child(of: node, at: path)
        case .combination(let names, let values): names.firstIndex(of: path).map { values[$0] }
        case .scalar, .record, .json, .file: nil
        }
    }

    private func child(of node: NodeID, at path: String) -> NodeID? {
        guard !path.isEmpty else { return node }
        guard document.kind(of: node) == .mapping else { return nil }
        if let found = document.value(of: node, for: path) { return found.value }
        guard let (name, rest) = path.cut(atFirst: "."),
            let inner = document.value(of: node, for: String(name))?.value
        else { return nil }
        return child(of: inner, at: String(rest))
    }
}
