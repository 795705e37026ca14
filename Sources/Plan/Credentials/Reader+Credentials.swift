internal import Diagnostics
internal import JobFile
internal import TransferModel

// What a session's credentials are made of, and whether each may go where it is for.
extension Reader {
    /// The entries of `credentials`; nil when one of them has a fault, after all were looked at.
    mutating func credentials(_ field: Field, of type: ValueType<Credential>) -> [Credential]? {
        guard let credentials = elements(field, of: type) else { return nil }
        let nodes = Array(document.elements(of: field.node))
        var isWhole = true
        for (index, credential) in credentials.enumerated() {
            guard
                let first = credentials[..<index].firstIndex(where: { $0.isFor(credential) })
            else { continue }
            report(
                .conflictingKeys,
                "`\(field.name)`\(context): this one is never used",
                at: nodes[index],
                notes: [
                    .init(
                        "this one has the same method, for the same servers",
                        at: document.range(of: nodes[first])
                    )
                ]
            )
            isWhole = false
        }
        return isWhole ? credentials : nil
    }

    /// One entry; nil when it has a fault.
    mutating func credential(_ field: Field) -> Credential? {
        guard isMapping(field), let method = credentialMethod(field) else { return nil }
        let errors = faults.log.errorCount
        var draft = CredentialDraft()
        // What is missing is missing in the entry, not in the list.
        apply(
            method.table,
            to: &draft,
            in: Field(name: field.name, key: field.node, node: field.node)
        )
        guard faults.log.errorCount == errors else { return nil }
        checkExposure(of: draft, by: method)
        guard let proof = method.proof(draft, self) else {
            report(
                .missingVariable,
                "`\(field.name)`\(context): without `file` and without `HOME` there is no netrc file",
                at: field.node
            )
            return nil
        }
        if case .clientCertificate = proof { checkTLS(of: draft) }
        guard faults.log.errorCount == errors else { return nil }
        let space = ProtectionSpace(scope: draft.scope, realm: draft.realm)
        return Credential(space: space, proof: proof)
    }

    private mutating func credentialMethod(_ field: Field) -> CredentialMethod? {
        guard let entry = document.value(of: field.node, for: "method") else {
            if !document.hasFaultyMerge(field.node) {
                report(
                    .missingKey,
                    "`\(field.name)`\(context): the key `method` is required in every entry",
                    at: field.node
                )
            }
            return nil
        }
        let inner = Field(name: "method", key: entry.key, node: entry.value)
        guard let name = text(inner) else { return nil }
        if let method = CredentialTable.methods.first(where: { $0.name == name }) { return method }
        let names = CredentialTable.methods.map(\.name)
        reportChoice(inner, name, names: names, later: [])
        return nil
    }

    /// A text of a credential, whose fault is told without the text.
    mutating func credentialText(
        _ field: Field,
        isConfidential: Bool,
        mayHaveColon: Bool
    ) -> CredentialText? {
        warnOfPlaceholders(in: field)
        guard let scalar = sentScalar(field, as: .credential),
            let text = text(of: scalar, field)
        else { return nil }
        guard (try? HeaderRule.checkValue(text)) != nil else {
            let fault = ValueFault(.badValue, "a control character may not stand in a credential")
            report(fault, of: field)
            return nil
        }
        if !mayHaveColon, text.utf8.contains(UInt8(ascii: ":")) {
            let fault = ValueFault(
                .badValue,
                "a colon may not stand in the user name: it ends it (RFC 7617 §2)"
            )
            report(fault, of: field)
            return nil
        }
        if isConfidential, text.isEmpty {
            report(.badValue, "`\(field.name)`: the value is empty", at: field.node)
            return nil
        }
        if isConfidential, scalar.secrets.isEmpty { warnOfOpenCredential(field) }
        return CredentialText(text: text, secrets: scalar.secrets, field: field)
    }

    private mutating func warnOfOpenCredential(_ field: Field) {
        guard faults.log.takesWarnings else { return }
        var warning = Diagnostic(
            .warning,
            .openCredential,
            "`\(field.name)`\(context) is no secret of the job: "
                + "whoever sees the file or the environment has it",
            at: document.range(of: field.node),
            help: "declare it under `secrets` and write `${secret.\(field.name)}`"
        )
        warning.isConfidential = true
        faults.log.add(warning)
    }

    /// Reports what the way to the credential's servers gives away, and secrets that may not go
    /// there.
    private mutating func checkExposure(of draft: CredentialDraft, by method: CredentialMethod) {
        guard let field = draft.scopeField else { return }
        switch draft.scope {
        case .none: break
        case .host(let host):
            for text in draft.texts { checkSecrets(text, sentToAllOf: host, at: field) }
        case .origin(let origin):
            let isReadable = !origin.isConfidential
            // The token of temporary credentials is sent as it is.
            let exposure = draft.sessionToken == nil ? method.exposure : .value
            switch exposure {
            case .value where isReadable:
                _ = isConfidential(origin, field)
                return
            case .guessable where isReadable: warnOfGuessing(origin, field, method.name)
            case .value, .guessable, .none: break
            }
            if let user = draft.user {
                checkSecrets(user.secrets, sentTo: origin, at: field.node, from: user.field.node)
            }
            for text in [draft.secret, draft.sessionToken].compactMap(\.self) {
                // What proves a secret is not the secret: only where its own list forbids it, it
                // may not go.
                let secrets =
                    isReadable ? self.values.secrets.bound(of: text.secrets) : text.secrets
                checkSecrets(secrets, sentTo: origin, at: field.node, from: text.field.node)
            }
        }
    }

    /// Reports a certificate for an origin that nobody can show one to.
    private mutating func checkTLS(of draft: CredentialDraft) {
        guard case .origin(let origin) = draft.scope, origin.scheme == .http,
            let field = draft.scopeField
        else { return }
        report(
            .badValue,
            "`\(field.name)`\(context): a certificate is shown over TLS, which "
                + "`\(origin.text)` does not have",
            at: field.node,
            help: "use `https://`"
        )
    }

    private mutating func warnOfGuessing(_ origin: Origin, _ field: Field, _ method: String) {
        guard faults.log.takesWarnings else { return }
        faults.log.add(
            Diagnostic(
                .warning,
                .plainHTTPCredentials,
                "`\(field.name)`\(context): whoever sees a `\(method)` answer on its way to "
                    + "`\(origin.text)` can try passwords until one fits",
                at: document.range(of: field.node),
                help: "use `https://`"
            )
        )
    }

    /// Reports secrets with `origins`, because a host has more of these than they name.
    private mutating func checkSecrets(
        _ text: CredentialText,
        sentToAllOf host: String,
        at field: Field
    ) {
        let bound = values.secrets.bound(of: text.secrets)
        for declaration in bound.positions.compactMap({ values.secrets.declarations[$0] }) {
            report(
                .secretToOtherOrigin,
                "the secret `\(declaration.name)`\(context) goes to every port of `\(host)`, "
                    + "not to its `origins` alone",
                at: field.node,
                notes: [
                    .init("it stands here", at: document.range(of: text.field.node)),
                    .init("it is declared here", at: declaration.range),
                ],
                help: "name the `origin`"
            )
        }
    }
}

extension Credential {
    /// Whether both prove the same way to the same servers, so that one of them is never used.
    fileprivate func isFor(_ other: Credential) -> Bool {
        guard space == other.space else { return false }
        return switch (proof, other.proof) {
        case (.basic, .basic), (.digest, .digest), (.ntlm, .ntlm), (.negotiate, .negotiate),
            (.bearer, .bearer), (.awsSigV4, .awsSigV4),
            (.clientCertificate, .clientCertificate):
            true
        case (.netrc(let path), .netrc(let otherPath)): path == otherPath
        default: false
        }
    }
}
