internal import Diagnostics
package import TransferModel

extension Plan {
    /// All secrets of the job, in the order of the file, including secrets that no task of this run
    /// uses.
    package var declaredSecrets: [SecretDeclaration] {
        source.reader.values.secrets.declarations.compactMap { $0 }
    }

    /// The passwords of the proxies that the job names: nothing may show them.
    package var proxyPasswords: [Secret] {
        sessions.compactMap(\.proxy.servers).flatMap { servers in
            ProxyServers.Slot.allCases.compactMap { servers[$0]?.credentials?.password }
        }
    }

    /// The variables of the environment that have values of the job's secrets, whether or not a
    /// task uses them.
    package var secretVariables: Set<String> { source.reader.values.secrets.variables }

    /// The same plan with the values of its secrets in place.
    ///
    /// - Parameters:
    ///   - values: The values of `neededSecrets` by their names.
    ///   - finder: Makes the finder of a secret in captured texts.
    /// - Returns: The plan to be run; one without secrets is itself.
    /// - Throws: The faults of values: control characters in a value for a header field, or text
    ///   that may not stand in a URL.
    package func with(
        _ values: [String: Secret],
        finder: (Secret) -> SecretFinder
    ) throws(PlanRejected) -> Plan {
        guard !source.reader.values.secrets.isEmpty else { return self }
        let unfit = neededSecrets.compactMap { secret in
            values[secret.name]?.withText { reasonAgainst($0, as: secret.name) }
                .map { secret.missing($0) }
        }
        guard unfit.isEmpty else { throw PlanRejected(diagnostics: unfit) }
        // Variables and sessions may hold secrets: they are read again, the tasks only when they
        // are started.
        let (head, headReader) = JobHead.read(
            source.reader.document,
            options,
            secrets: values.mapValues { KnownSecret(value: $0, find: finder($0)) }
        )
        var reader = headReader
        let shared = SharedSettings(of: head, with: &reader)
        guard !reader.faults.log.hasErrors else {
            throw PlanRejected(diagnostics: reader.faults.log.diagnostics)
        }
        return with(source.with(shared, reader)).with(head.draft.hooks)
    }

    /// Why a value cannot stand where the job has the secret of that name; continues "the secret
    /// `name` ".
    private func reasonAgainst(_ value: String, as name: String) -> String? {
        guard let position = source.reader.values.secrets.names.firstIndex(of: name) else {
            return nil
        }
        if source.reader.values.secrets.inHeaders.contains(position) {
            do {
                try HeaderRule.checkValue(value)
            } catch {
                return "is not valid in a header: \(error.message)"
            }
        }
        if source.reader.values.secrets.inURLs.contains(position),
            value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        {
            return "is not valid in a URL: it has a control character"
        }
        return nil
    }
}
