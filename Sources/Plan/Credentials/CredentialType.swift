internal import Diagnostics
internal import JobFile
internal import TransferModel

/// The entries of `credentials`, and whether each may go to its servers.
enum CredentialType {
    /// The entries of `credentials`; nil when one of them has a fault, after all were looked at.
    static func credentials(_ field: Field, of type: ValueType<Credential>, _ reader: inout Reader)
        -> [Credential]?
    {
        guard let credentials = reader.elements(field, of: type) else { return nil }
        let nodes = Array(reader.document.elements(of: field.node))
        var isWhole = true
        for (index, credential) in credentials.enumerated() {
            guard
                let first = credentials[..<index].firstIndex(where: { $0.isFor(credential) })
            else { continue }
            reader.report(
                .conflictingKeys,
                "`\(field.name)`\(reader.context): this credential is never used",
                at: nodes[index],
                notes: [
                    .init(
                        "this credential has the same method and the same servers",
                        at: reader.document.range(of: nodes[first])
                    )
                ]
            )
            isWhole = false
        }
        return isWhole ? credentials : nil
    }

    /// One entry; nil when a setting of it has a fault.
    static func credential(_ field: Field, _ reader: inout Reader) -> Credential? {
        guard reader.isMapping(field), let method = credentialMethod(field, &reader) else {
            return nil
        }
        // A missing key is missing in the entry, not in the list.
        let entry = Field(name: field.name, key: field.node, node: field.node)
        guard let draft = reader.value(CredentialDraft(), with: method.table, in: entry) else {
            return nil
        }
        checkExposure(of: draft, by: method, &reader)
        guard let proof = method.proof(draft, reader) else {
            reader.report(
                .missingVariable,
                "`\(field.name)`\(reader.context): without `file` and without `HOME` there is no "
                    + "netrc file",
                at: field.node
            )
            return nil
        }
        if case .clientCertificate = proof { checkTLS(of: draft, &reader) }
        checkFileServer(of: draft, proof, by: method, &reader)
        let space = ProtectionSpace(scope: draft.scope, realm: draft.realm)
        var credential = Credential(space: space, proof: proof)
        credential.challenge = draft.challenge
        return credential
    }

    private static func credentialMethod(_ field: Field, _ reader: inout Reader)
        -> CredentialMethod?
    {
        guard let entry = reader.document.value(of: field.node, for: "method") else {
            if !reader.document.hasFaultyMerge(field.node) {
                reader.report(
                    .missingKey,
                    "`\(field.name)`\(reader.context): the key `method` is required in every entry",
                    at: field.node
                )
            }
            return nil
        }
        let inner = Field(name: "method", key: entry.key, node: entry.value)
        guard let name = reader.text(inner) else { return nil }
        if let method = CredentialTable.methods.first(where: { $0.name == name }) { return method }
        let names = CredentialTable.methods.map(\.name)
        reader.reportChoice(inner, name, names: names)
        return nil
    }

    /// A text of a credential; the report of its fault does not quote it.
    static func credentialText(
        _ field: Field,
        isConfidential: Bool,
        mayHaveColon: Bool,
        _ reader: inout Reader
    ) -> CredentialText? {
        Slips.warnOfPlaceholders(in: field, &reader)
        guard let scalar = reader.sentScalar(field, as: .credential),
            let text = reader.text(of: scalar, field)
        else { return nil }
        guard (try? HeaderRule.checkValue(text)) != nil else {
            let fault = ValueFault(.badValue, "a control character is not allowed in a credential")
            reader.report(fault, of: field)
            return nil
        }
        if !mayHaveColon, text.utf8.contains(UInt8(ascii: ":")) {
            let fault = ValueFault(
                .badValue,
                "a colon is not allowed in the user name, because it ends the name (RFC 7617 §2)"
            )
            reader.report(fault, of: field)
            return nil
        }
        if isConfidential, text.isEmpty {
            reader.report(.badValue, "`\(field.name)`: the value is empty", at: field.node)
            return nil
        }
        if isConfidential, scalar.secrets.isEmpty { warnOfOpenCredential(field, &reader) }
        return CredentialText(text: text, secrets: scalar.secrets, field: field)
    }

    private static func warnOfOpenCredential(_ field: Field, _ reader: inout Reader) {
        guard reader.faults.log.takesWarnings else { return }
        let warning = Diagnostic(
            .warning,
            .openCredential,
            "`\(field.name)`\(reader.context) is not a secret of the job: "
                + "every reader of the file or the environment can see it",
            at: reader.document.range(of: field.node),
            help: "declare it under `secrets` and write `${secret.\(field.name)}`"
        )
        reader.faults.log.add(warning)
    }

    /// Reports credentials that the connection to their servers would reveal, and secrets that
    /// these servers may not get.
    private static func checkExposure(
        of draft: CredentialDraft,
        by method: CredentialMethod,
        _ reader: inout Reader
    ) {
        guard let field = draft.scopeField else { return }
        switch draft.scope {
        case .none: break
        case .host(let host):
            for text in draft.texts {
                checkHostSecrets(text, sentToAllOf: host, at: field, &reader)
            }
        case .origin(let origin) where origin.scheme == .ftp && !origin.isConfidential:
            // The session says whether TLS begins before the login (`FileServerCheck`).
            for text in draft.texts {
                reader.checkSecrets(
                    reader.values.secrets.bound(of: text.secrets),
                    sentTo: origin,
                    at: field.node,
                    from: text.field.node,
                    atLogin: true
                )
            }
        case .origin(let origin):
            let isReadable = !origin.isConfidential
            // The token of temporary credentials is sent as it is.
            let exposure = draft.sessionToken == nil ? method.exposure : .value
            switch exposure {
            case .value where isReadable:
                _ = OriginType.isConfidential(origin, field, &reader)
                return
            case .guessable where isReadable: warnOfGuessing(origin, field, method.name, &reader)
            case .value, .guessable, .none: break
            }
            if let user = draft.user {
                reader.checkSecrets(
                    user.secrets,
                    sentTo: origin,
                    at: field.node,
                    from: user.field.node
                )
            }
            for text in [draft.secret, draft.sessionToken].compactMap(\.self) {
                // A proof of a secret is not the secret itself: only the secret's own `origins`
                // can forbid it.
                let secrets =
                    isReadable ? reader.values.secrets.bound(of: text.secrets) : text.secrets
                reader.checkSecrets(secrets, sentTo: origin, at: field.node, from: text.field.node)
            }
        }
    }

    /// Reports a method that the servers of the origin do not have.
    private static func checkFileServer(
        of draft: CredentialDraft,
        _ proof: Credential.Proof,
        by method: CredentialMethod,
        _ reader: inout Reader
    ) {
        guard case .origin(let origin) = draft.scope, let field = draft.scopeField else { return }
        let isKnown =
            switch proof {
            case .basic: true
            case .ssh: origin.scheme == .sftp
            default: !origin.scheme.isOfFileServer
            }
        guard !isKnown else { return }
        reader.report(
            .badValue,
            "`\(field.name)`\(reader.context): `\(origin.text)` has no logins by the method "
                + "`\(method.name)`",
            at: field.node,
            help: origin.scheme.isOfFileServer
                ? "servers of FTP know `basic`, those of SSH also `publicKey`"
                : "only servers of SSH, `sftp://`, know `publicKey`"
        )
    }

    /// Reports a client certificate for an origin without TLS.
    private static func checkTLS(of draft: CredentialDraft, _ reader: inout Reader) {
        guard case .origin(let origin) = draft.scope, origin.scheme == .http,
            let field = draft.scopeField
        else { return }
        reader.report(
            .badValue,
            "`\(field.name)`\(reader.context): a client certificate needs TLS, which "
                + "`\(origin.text)` does not use",
            at: field.node,
            help: "use `https://`"
        )
    }

    private static func warnOfGuessing(
        _ origin: Origin,
        _ field: Field,
        _ method: String,
        _ reader: inout Reader
    ) {
        guard reader.faults.log.takesWarnings else { return }
        reader.faults.log.warn(
            .plainHTTPCredentials,
            "`\(field.name)`\(reader.context): an eavesdropper on the way to "
                + "`\(origin.text)` can guess the password from a `\(method)` response",
            at: reader.document.range(of: field.node),
            help: "use `https://`"
        )
    }

    /// Reports secrets with `origins`, because a host has more origins than these.
    private static func checkHostSecrets(
        _ text: CredentialText,
        sentToAllOf host: String,
        at field: Field,
        _ reader: inout Reader
    ) {
        let bound = reader.values.secrets.bound(of: text.secrets)
        for declaration in bound.positions.compactMap({ reader.values.secrets.declarations[$0] }) {
            reader.report(
                .secretToOtherOrigin,
                "the secret `\(declaration.name)`\(reader.context) goes to every port of "
                    + "`\(host)`, not to its `origins` alone",
                at: field.node,
                notes: [
                    .init("it is used here", at: reader.document.range(of: text.field.node)),
                    .init("it is declared here", at: declaration.range),
                ],
                help: "name the `origin`"
            )
        }
    }
}

extension Credential {
    /// Whether both credentials use one method for the same servers, so that one of them is never
    /// used.
    fileprivate func isFor(_ other: Credential) -> Bool {
        guard space == other.space else { return false }
        return switch (proof, other.proof) {
        case (.basic, .basic), (.digest, .digest), (.ntlm, .ntlm), (.negotiate, .negotiate),
            (.bearer, .bearer), (.awsSigV4, .awsSigV4),
            (.clientCertificate, .clientCertificate), (.ssh, .ssh):
            true
        case (.netrc(let path), .netrc(let otherPath)): path == otherPath
        default: false
        }
    }
}
