/// A session's login and where to use it (Apple's `URLCredential` with its `URLProtectionSpace`).
package struct Credential: Sendable, Hashable {
    /// The authentication method with its secrets.
    package enum Proof: Sendable, Hashable {
        /// User and password, readable for everyone who sees the request (RFC 7617).
        case basic(Login)
        /// A proof that the user knows the password, without sending it (RFC 7616).
        case digest(Login)
        /// Microsoft's challenge and response, bound to a connection ([MS-NLMP]); the user may be
        /// `DOMAIN\user`.
        case ntlm(Login)
        /// The Kerberos ticket of the process, bound to a connection (RFC 4559).
        case negotiate
        /// A token, sent unchanged (RFC 6750).
        case bearer(Secret)
        /// A signature of each request by AWS's algorithm, version 4.
        case awsSigV4(AWSCredential)
        /// A certificate, presented in the TLS handshake.
        case clientCertificate(ClientCertificate)
        /// A private key, or those of an agent, for servers of SSH.
        case ssh(SSHIdentity)
        /// The logins in a netrc file at an absolute path; the file names their hosts.
        case netrc(path: String)
    }

    /// Whether a login waits for the server to ask for it.
    package enum ChallengeRule: String, Sendable, Hashable, CaseIterable {
        /// The first request over TLS carries the login.
        case skip
        /// The login only answers a challenge.
        case wait
    }

    /// The servers and the realm that may get the proof.
    package var space: ProtectionSpace
    /// The method and the secrets of the session.
    package var proof: Proof

    /// When Basic is sent; of no use for other methods.
    package var challenge = ChallengeRule.skip
    /// Whether another credential has the same login, and this one is for servers that ask for its
    /// method.
    package var isFallback = false

    /// Creates a credential for the servers of `space`.
    package init(space: ProtectionSpace, proof: Proof) {
        self.space = space
        self.proof = proof
    }

    /// The secrets in the proof.
    package var secrets: [Secret] {
        switch proof {
        case .basic(let login), .digest(let login), .ntlm(let login): [login.password]
        case .bearer(let token): [token]
        case .awsSigV4(let keys): [keys.secretKey] + (keys.sessionToken.map { [$0] } ?? [])
        case .clientCertificate(let certificate): certificate.password.map { [$0] } ?? []
        case .ssh(let identity): identity.password.map { [$0] } ?? []
        case .negotiate, .netrc: []
        }
    }
}

/// The servers and realm of a credential (RFC 9110 §11.5).
package struct ProtectionSpace: Sendable, Hashable {
    /// The servers that may get the credential.
    package enum Scope: Sendable, Hashable {
        case origin(Origin)
        /// Every port of a host in lower case, over TLS or on this machine.
        case host(String)
        /// No server: the credential names its hosts itself.
        case none
    }

    /// The servers of the space.
    package var scope: Scope
    /// Compared byte by byte with the realm of a challenge; nil for any realm.
    package var realm: String?

    /// Creates a space; without `realm` it includes every realm of its servers.
    package init(scope: Scope, realm: String? = nil) {
        self.scope = scope
        self.realm = realm
    }

    /// Whether the space includes an origin, in any realm.
    package func contains(_ origin: Origin) -> Bool {
        switch scope {
        case .origin(let own): own == origin
        case .host(let host):
            host == origin.host && origin.isConfidential
        case .none: false
        }
    }
}

/// A user name with its password.
package struct Login: Sendable, Hashable {
    /// The user name, sent unchanged.
    package var user: String
    /// The password that belongs to `user`.
    package var password: Secret

    /// Creates a login.
    package init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }
}

/// The keys for signing requests to AWS and compatible services.
package struct AWSCredential: Sendable, Hashable {
    /// The access key ID, which each request shows.
    package var accessKey: String
    /// The secret access key, which signs requests and is never sent.
    package var secretKey: Secret
    /// For temporary credentials.
    package var sessionToken: Secret?
    /// Such as `eu-central-1`.
    package var region: String
    /// Such as `s3` or `execute-api`.
    package var service: String

    /// Creates a set of keys; `sessionToken` is nil for permanent ones.
    package init(
        accessKey: String,
        secretKey: Secret,
        sessionToken: Secret?,
        region: String,
        service: String
    ) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }
}

/// A certificate and its private key, in files.
package struct ClientCertificate: Sendable, Hashable {
    /// An absolute path: PEM with the chain, or PKCS#12 when there is no key beside it.
    package var certificate: String
    /// An absolute path to a PEM file; nil when the certificate's file has the key.
    package var key: String?
    /// The password that encrypts the key or the PKCS#12 file.
    package var password: Secret?

    /// Creates a client certificate from absolute paths.
    package init(certificate: String, key: String?, password: Secret?) {
        self.certificate = certificate
        self.key = key
        self.password = password
    }
}
