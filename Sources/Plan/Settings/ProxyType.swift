internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The values of `proxy`: a word, or servers with their credentials.
enum ProxyType {
    /// Reads a session's proxy setting; a mapping changes the setting of `defaults`, a word
    /// replaces it.
    static func proxy(_ field: Field, into rule: inout ProxyRule, _ reader: inout Reader) {
        guard reader.document.kind(of: field.node) == .mapping else {
            if let named = proxyRule(field, &reader) { rule = named }
            return
        }
        let inherited = rule.servers ?? ProxyServers()
        guard let servers = reader.value(inherited, with: ProxyTable.table, in: field) else {
            return
        }
        guard servers.script == nil || servers.isEmpty else {
            reader.report(
                .conflictingKeys,
                "`\(field.name)`\(reader.context) has `pac` and a proxy: a script names all proxies",
                at: field.key,
                help: "remove `pac`, or `http`, `https` and `socks`; `exceptions` may stay"
            )
            return
        }
        guard !servers.isEmpty || servers.script != nil else {
            reader.report(
                .missingKey,
                "one of the keys `http`, `https`, `socks`, `pac` in `\(field.name)`\(reader.context) is "
                    + "required",
                at: field.key
            )
            return
        }
        rule = .servers(servers)
    }

    /// The place of a script: a URL, or a file that must be there.
    static func script(_ field: Field, _ reader: inout Reader) -> ProxyScriptPlace? {
        guard let text = reader.text(field) else { return nil }
        guard text.containsBytes("://") else {
            return PathType.existingFile(field, &reader).map {
                .file(path: $0.path, displayPath: $0.text)
            }
        }
        return reader.parsed(text, of: field, ProxyURLText.script).map { .url($0) }
    }

    /// A rule that is a word.
    private static func proxyRule(_ field: Field, _ reader: inout Reader) -> ProxyRule? {
        guard let text = reader.text(field) else { return nil }
        switch text {
        case ProxyTable.environment: return .environment
        case ProxyTable.none: return .direct
        default: break
        }
        if ProxyURLText.isAutomatic(text) {
            reader.report(ProxyURLText.automatic(text), of: field)
        } else if text.containsBytes(":") {
            reader.report(
                ValueFault(
                    .badProxy,
                    "a proxy needs a key that says which URLs it is for",
                    help: "write `{ http: …, https: … }`, or `{ socks: … }` for both"
                ),
                of: field
            )
        } else {
            let names = [ProxyTable.environment, ProxyTable.none]
            reader.reportChoice(field, text, names: names)
        }
        return nil
    }

    /// One proxy: a URL alone, or a mapping with credentials.
    static func proxyServer(_ field: Field, isSOCKS: Bool, _ reader: inout Reader) -> ProxyServer? {
        var draft = ProxyDraft()
        var node = field.node
        if reader.document.kind(of: node) == .mapping {
            guard let read = reader.value(draft, with: ProxyTable.server, in: field) else {
                return nil
            }
            draft = read
            node = reader.document.value(of: node, for: "url")?.value ?? node
        } else if let text = reader.text(field) {
            draft.server = reader.parsed(text, of: field, ProxyURLText.parse)
        }
        guard var server = draft.server else { return nil }
        guard !isSOCKS || server.kind.isSOCKS else {
            reader.report(
                .badProxy,
                "`\(field.name)`: `\(server.kind.rawValue)` is not a kind of SOCKS proxy",
                at: node,
                help: "begin the URL with `socks5h://`, or write the proxy under `http` and `https`"
            )
            return nil
        }
        server.credentials = proxyCredentials(draft, of: server, field, &reader)
        if server.credentials != nil { checkCredentials(draft, of: server, at: node, &reader) }
        return server
    }

    /// The login for a proxy; nil without credentials, and after a fault.
    private static func proxyCredentials(
        _ draft: ProxyDraft,
        of server: ProxyServer,
        _ field: Field,
        _ reader: inout Reader
    ) -> ProxyCredentials? {
        let method = draft.method?.value ?? .basic
        if server.kind.isSOCKS, let field = draft.method?.field, method != .basic {
            reader.report(
                .conflictingKeys,
                "a SOCKS proxy does not support the method `\(method.rawValue)`",
                at: field.key
            )
            return nil
        }
        if server.kind == .socks4 || server.kind == .socks4a, let password = draft.password {
            reader.report(.conflictingKeys, "SOCKS 4 has no passwords", at: password.field.key)
            return nil
        }
        if let user = draft.user {
            return ProxyCredentials(
                user: user.text,
                password: Secret(draft.password?.text ?? ""),
                method: method
            )
        }
        // Kerberos tickets need no user name.
        if method == .negotiate {
            return ProxyCredentials(user: "", password: Secret(""), method: method)
        }
        if let key = (draft.password?.field ?? draft.method?.field)?.key {
            reader.report(
                .missingKey,
                "the key `user` in `\(field.name)`\(reader.context) is required",
                at: key
            )
        }
        return nil
    }

    /// A user or a password, which may hold secrets.
    static func proxyCredential(_ field: Field, _ reader: inout Reader) -> CredentialText? {
        Slips.warnOfPlaceholders(in: field, &reader)
        guard let scalar = reader.sentScalar(field, as: .credential),
            let text = reader.text(of: scalar, field)
        else { return nil }
        let isUser = field.name == "user"
        do throws(ValueFault) {
            try HeaderRule.checkValue(text)
            // RFC 7617 §2: the first colon ends the user's name.
            if text.isEmpty || isUser && text.utf8.contains(UInt8(ascii: ":")) {
                throw ValueFault(
                    .badProxy,
                    text.isEmpty ? "a value is missing" : "a colon is not allowed in the user name"
                )
            }
        } catch {
            reader.report(error, of: field)
            return nil
        }
        return CredentialText(text: text, secrets: scalar.secrets, field: field)
    }

    /// Reports secrets that may not go to a proxy, and warns of passwords that others can read on
    /// the way to it.
    ///
    /// Only the proxy's own origin counts: no credential of a proxy reaches the origins of tasks.
    private static func checkCredentials(
        _ draft: ProxyDraft,
        of server: ProxyServer,
        at node: NodeID,
        _ reader: inout Reader
    ) {
        let isReadable = !server.origin.isConfidential
        let showsPassword = draft.method?.value.showsPassword ?? true
        let user = draft.user?.secrets ?? SecretSet()
        let password = draft.password?.secrets ?? SecretSet()
        let exposed = isReadable && !draft.allowsPlainText
        for (use, isShown) in [(user, true), (password, showsPassword)] {
            for declaration in use.positions.compactMap({ reader.values.secrets.declarations[$0] })
            {
                if let origins = declaration.origins, !origins.contains(server.origin) {
                    reportSecret(declaration, .secretToOtherOrigin, server, at: node, &reader)
                } else if exposed, isShown, declaration.origins == nil {
                    reportSecret(declaration, .secretOverPlainHTTP, server, at: node, &reader)
                }
            }
        }
        guard exposed, showsPassword, draft.password != nil, password.isEmpty,
            reader.faults.log.takesWarnings
        else { return }
        reader.faults.log.warn(
            .plainHTTPCredentials,
            "the password\(reader.context) goes to `\(server.url)`, where others can read it",
            at: reader.document.range(of: node),
            help: "use an `https://` proxy or `method: digest`, or set `allowPlainText: true`"
        )
    }

    private static func reportSecret(
        _ declaration: SecretDeclaration,
        _ code: JobCode,
        _ server: ProxyServer,
        at node: NodeID,
        _ reader: inout Reader
    ) {
        let isForeign = code == .secretToOtherOrigin
        reader.report(
            code,
            "the secret `\(declaration.name)`\(reader.context) goes to the proxy `\(server.url)`"
                + (isForeign
                    ? ", which is not one of its `origins`" : ", where others can read it"),
            at: node,
            notes: [.init("it is declared here", at: declaration.range)],
            help: isForeign
                ? "give the proxy a secret of its own"
                : "use an `https://` proxy or `method: digest`, or set `allowPlainText: true`"
        )
    }
}
