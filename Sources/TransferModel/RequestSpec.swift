/// A request as the job file describes it.
package struct RequestSpec: Sendable, Hashable {
    /// A token such as `GET`, in the case of the job file.
    package var method: String
    /// The URL of the first request; redirects may lead to others.
    package var url: TransferURL
    /// The task's fields, then those session fields that the task does not replace.
    package var headers: [HeaderField]

    /// Creates a request; `method` must be a token.
    package init(method: String, url: TransferURL, headers: [HeaderField] = []) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The same request for another URL; another origin gets only harmless fields.
    package func directed(to other: TransferURL) -> RequestSpec {
        guard other.origin != url.origin else {
            return RequestSpec(method: method, url: other, headers: headers)
        }
        return RequestSpec(method: method, url: other, headers: headers.filter(\.mayCrossOrigins))
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

/// The content of a request body and its source.
package enum BodySource: Sendable, Hashable {
    case bytes([UInt8])
    /// The bytes to send under a `Content-Encoding`, and their count before encoding.
    case compressed([UInt8], originalCount: Int)
    /// An absolute path; opened once for each attempt, which compares size and modification time
    /// before and after. With `within`, no link of the path may lead out of that folder.
    case file(path: String, within: String? = nil)
    /// The parts of a `multipart/form-data` body (RFC 7578); each attempt chooses its own boundary.
    case multipart([BodyPart])
    /// A program's standard output, of unknown length; the program runs again for each request.
    ///
    /// The program and its arguments, and the absolute path of its working folder.
    indirect case command([String], folder: String)
    /// The content of a named pipe, of unknown length and readable once; an absolute path.
    case pipe(path: String)

    /// The bytes to send, when they are in memory.
    package var bytesInMemory: [UInt8]? {
        switch self {
        case .bytes(let bytes), .compressed(let bytes, _): bytes
        case .file, .multipart, .command, .pipe: nil
        }
    }
}

/// One part of a `multipart/form-data` body.
package struct BodyPart: Sendable, Hashable {
    /// The content's source.
    package enum Content: Sendable, Hashable {
        case bytes([UInt8])
        /// An absolute path, handled like that of `BodySource.file`.
        case file(path: String, within: String? = nil)
    }

    /// The `name` parameter of its `Content-Disposition` (RFC 7578 §4.2).
    package var name: String
    /// The `filename` of its `Content-Disposition`; nil for none.
    package var fileName: String?
    /// The fields except `Content-Disposition`; may include `Content-Type`.
    package var headers: [HeaderField]
    /// The bytes of the part, or the file that has them.
    package var content: Content

    /// Creates a part of a form; without `fileName` it is a plain field.
    package init(
        name: String,
        fileName: String? = nil,
        headers: [HeaderField] = [],
        content: Content
    ) {
        self.name = name
        self.fileName = fileName
        self.headers = headers
        self.content = content
    }
}

/// The request field that names the server (RFC 9110 §7.2).
package enum HostField {
    /// The name of the field, in lower case.
    package static let name = "host"
}

extension RequestSpec {
    /// The value of `Host`: the job's, or the host of the URL without the zone of an address and
    /// without the scheme's default port.
    package var host: String {
        if let own = headers.values(of: HostField.name).first { return own }
        let origin = url.origin
        let host = origin.host.prefix { $0 != "%" }
        let bare = host.count < origin.host.count ? host + "]" : host
        return origin.port == origin.scheme.defaultPort ? String(bare) : "\(bare):\(origin.port)"
    }
}

/// The request field by which a server recognizes a repeated request
/// (draft-ietf-httpapi-idempotency-key-header).
package enum IdempotencyKeyField {
    /// The name of the field.
    package static let name = "Idempotency-Key"

    /// Whether a value is empty: only blanks and quotes.
    ///
    /// No server can recognize a repeat by such a value, so it does not count as a key.
    package static func isBlank(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { $0 == "\"" || $0.properties.isWhitespace }
    }
}

extension [HeaderField] {
    /// The idempotency key among the fields, as written; nil for none or a blank one.
    package var idempotencyKey: String? {
        first { $0.isNamed(IdempotencyKeyField.name) && !IdempotencyKeyField.isBlank($0.value) }?
            .value
    }
}
