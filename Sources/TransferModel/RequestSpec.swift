/// A request as the job file wants it, before anything is sent.
package struct RequestSpec: Sendable, Hashable {
    /// A token in upper case as written, such as `GET`.
    package var method: String
    package var url: HTTPURL
    /// The task's own fields followed by those of the session that it did not replace.
    package var headers: [HeaderField]

    package init(method: String, url: HTTPURL, headers: [HeaderField] = []) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The same request for another URL; of its fields only harmless ones go to another origin.
    package func directed(to other: HTTPURL) -> RequestSpec {
        guard other.origin != url.origin else {
            return RequestSpec(method: method, url: other, headers: headers)
        }
        return RequestSpec(
            method: method,
            url: other,
            headers: headers.filter(\.mayCrossOrigins)
        )
    }

    /// Whether sending it twice has the effect of sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Whether it asks for no change (RFC 9110 §9.2.1).
    package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// The same request with a key by which the server can tell a repeat, as it stands in the
    /// field.
    package func keyed(_ key: String) -> RequestSpec {
        let field = HeaderField(name: IdempotencyKeyField.name, value: key)
        return RequestSpec(method: method, url: url, headers: headers + [field])
    }

    /// Whether the request names a key by which the server can tell a repeat, which a blank one is
    /// not.
    package var hasIdempotencyKey: Bool { headers.idempotencyKey != nil }
}

/// How far redirects are followed.
package struct RedirectRule: Sendable, Hashable {
    package enum Follow: String, Sendable, Hashable, CaseIterable {
        /// Wherever the rules on schemes and bodies allow.
        case always = "true"
        /// The 3xx is the result.
        case never = "false"
        /// Only to the origin that was asked.
        case sameOrigin
    }
    package var follow: Follow = .always
    /// Hops, 0 or more.
    package var maximum = 20
    /// Whether a 301 or 302 may turn a POST into a GET.
    package var allowMethodChange = false

    package init() {}
}
