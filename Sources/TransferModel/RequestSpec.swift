/// A request as the job file describes it.
package struct RequestSpec: Sendable, Hashable {
    /// A token in upper case as written, such as `GET`.
    package var method: String
    /// The URL of the first request; redirects may lead to others.
    package var url: HTTPURL
    /// The task's fields, then those session fields that the task does not replace.
    package var headers: [HeaderField]

    /// Creates a request; `method` must be a token.
    package init(method: String, url: HTTPURL, headers: [HeaderField] = []) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The same request for another URL; another origin gets only harmless fields.
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

    /// Whether repeating the request has no further effect (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Whether the method requests no change (RFC 9110 §9.2.1).
    package var isSafe: Bool { Self.isSafe(method) }

    /// Whether a method requests no change; unknown methods may change anything (RFC 9110 §9.2.1).
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// The same request with an idempotency key, given as the field's value.
    package func keyed(_ key: String) -> RequestSpec {
        let field = HeaderField(name: IdempotencyKeyField.name, value: key)
        return RequestSpec(method: method, url: url, headers: headers + [field])
    }

    /// Whether the request has an idempotency key that is not blank.
    package var hasIdempotencyKey: Bool { headers.idempotencyKey != nil }
}

/// The rule for following redirects.
package struct RedirectRule: Sendable, Hashable {
    /// Which redirects lead to another request.
    package enum Follow: String, Sendable, Hashable, CaseIterable {
        /// Within the rules for schemes and bodies.
        case always = "true"
        /// The 3xx is the result.
        case never = "false"
        /// Only within the requested origin.
        case sameOrigin
        /// The task fails.
        case fail
    }
    /// The decision about the redirects to some origins.
    package struct Decision: Sendable, Hashable {
        /// The origins.
        package var origin: OriginPattern
        /// Whether their redirects are followed.
        package var follow: Follow

        /// Creates a decision.
        package init(origin: OriginPattern, follow: Follow) {
            self.origin = origin
            self.follow = follow
        }
    }
    /// Whether a redirect is followed or is the result.
    package var follow: Follow = .always
    /// The first decision about the target's origin counts instead of `follow`.
    package var decisions: [Decision] = []
    /// Hops, 0 or more.
    package var maximum = 20
    /// Whether a 301 or 302 may turn a POST into a GET.
    package var allowMethodChange = false

    /// Whether a redirect to an origin is followed; an unknown origin has no decision of its own.
    package func follow(to origin: Origin?) -> Follow {
        guard let origin else { return follow }
        return decisions.first { $0.origin.matches(origin) }?.follow ?? follow
    }

    /// Creates the default rule: up to 20 redirects; a 301 or 302 must not turn a POST into a GET.
    package init() {}
}
