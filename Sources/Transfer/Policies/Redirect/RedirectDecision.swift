internal import SystemKit
internal import TransferModel

/// Whether a redirect is followed, and with which request (RFC 9110 §15.4).
enum RedirectDecision {
    case follow(RequestSpec, keepsBody: Bool)
    case refuse(TransferFailure)

    /// Fields that describe a body and are sent only with it.
    private static let bodyFields: Set<String> = [
        "content-type", "content-encoding", "content-language", "content-location",
        "content-length",
        "content-md5", "digest", "content-digest", "repr-digest",
    ]

    /// Decides on one hop.
    ///
    /// - Parameters:
    ///   - status: 301, 302, 303, 307 or 308.
    ///   - locations: Every `Location` of the response.
    ///   - target: The absolute URL that libcurl made of it.
    ///   - request: The request that was redirected.
    ///   - hasBody: Whether that request carried a body.
    ///   - rule: The task's `redirects`.
    ///   - visited: Each hop so far, as described by `visit`, including the first request.
    ///   - cookies: The value of `Cookie` in the next request.
    /// - Returns: The next request, or why there is none.
    static func decide(
        status: Int,
        locations: [String],
        target: String?,
        request: RequestSpec,
        hasBody: Bool,
        rule: RedirectRule,
        visited: [String],
        cookies: (TransferURL) -> String? = { _ in nil }
    ) -> RedirectDecision {
        guard Set(locations).count == 1, let location = locations.first, !location.isEmpty,
            let target
        else {
            return refuse("the redirect has no usable Location")
        }
        let url: TransferURL
        do throws(URLFault) {
            url = try self.url(target, for: location, after: request.url)
        } catch {
            return refuse(describe(error, target), help: targetHelp)
        }
        if request.url.origin.scheme == .https, url.origin.scheme == .http {
            return refuse(
                "a redirect from https to \(shown(url)) is not followed",
                help: targetHelp
            )
        }
        let crossesOrigin = url.origin != request.url.origin
        if let refusal = refusal(of: rule.follow(to: url.origin), to: url, crosses: crossesOrigin) {
            return refuse(refusal, help: targetHelp)
        }
        guard visited.count <= rule.maximum else {
            return refuse(
                "more than \(rule.maximum) redirects, the next to \(shown(url))",
                help: "check the URL, or raise `redirects.maximum`",
                isLimit: true
            )
        }

        let method = method(after: status, request.method)
        let changesMethod = method != request.method
        if changesMethod, status != 303, !rule.allowMethodChange {
            return refuse(
                "a \(status) would turn \(request.method) into \(method)",
                help: "`redirects: { allowMethodChange: true }` permits it"
            )
        }
        let keepsBody = hasBody && !changesMethod
        if keepsBody, crossesOrigin {
            return refuse("a body is not sent again to another origin, \(url.origin.text)")
        }
        // A request that may change something is an order, with or without a body.
        if crossesOrigin, !RequestSpec.isSafe(method) {
            return refuse("a \(method) is not sent again to another origin, \(url.origin.text)")
        }
        guard !visited.contains(where: visit(method, url, cookies(url)).hasSameBytes)
        else {
            return refuse(
                "the redirects go in a circle at \(shown(url))",
                help: "check the URL; the server may want a login or a cookie",
                isLimit: true,
                decidingKey: ["url"]
            )
        }
        let headers = request.headers.filter { field in
            // No body crosses origins, so that no field about one needs to.
            if crossesOrigin { return field.mayCrossOrigins }
            let name = field.name.lowercased()
            // The key belongs to the order, which the next request is not.
            if changesMethod, name == "idempotency-key" { return false }
            let isOfBody = bodyFields.contains(name) || !field.bodyDigests.isEmpty
            return keepsBody || !hasBody || !isOfBody
        }
        return .follow(
            RequestSpec(method: method, url: url, headers: headers),
            keepsBody: keepsBody
        )
    }

    /// Why the job file does not let a redirect be followed; nil when it does.
    private static func refusal(
        of follow: RedirectRule.Follow,
        to url: TransferURL,
        crosses: Bool
    ) -> String? {
        switch follow {
        case .always: nil
        case .sameOrigin where !crosses: nil
        case .sameOrigin: "a redirect to another origin, \(shown(url)), is not followed"
        case .never, .fail: "`redirects` does not permit a redirect to \(shown(url))"
        }
    }

    /// The text of a hop for finding loops; a fragment is never sent to a server.
    ///
    /// A page that sets a cookie and redirects to itself gets a different request, which is no
    /// loop.
    static func visit(_ method: String, _ url: TransferURL, _ cookies: String? = nil) -> String {
        "\(method) \(url.text[..<url.fragmentStart])" + (cookies.map { " \($0)" } ?? "")
    }

    /// The URL of a redirect: of http or https, or of the scheme of the request's own program.
    private static func url(
        _ target: String,
        for location: String,
        after url: TransferURL
    ) throws(URLFault) -> TransferURL {
        guard url.isCustom else {
            return try TransferURL(absoluteURL(target, for: location, after: url))
        }
        // The program must name the whole URL.
        guard CustomURL.scheme(of: target) == url.schemeName else {
            return try TransferURL(withoutUserInformation(target))
        }
        guard let custom = try? CustomURL(target) else { throw .badHost }
        return TransferURL(custom)
    }

    /// The URL of a redirect, from libcurl's reading of its `Location`.
    private static func absoluteURL(
        _ target: String,
        for location: String,
        after url: TransferURL
    ) -> String {
        let hash = UInt8(ascii: "#")
        // libcurl 7.88 treats a `Location` that is only a fragment as the name of a file.
        if location.utf8.first == hash { return url.text[..<url.fragmentStart] + location }
        // Releases of libcurl differ in whether `%2e` is a dot: `TransferURL` resolves such a path.
        var target = target
        if hasEscapedDot(location), let resolved = url.resolving(location) {
            target = resolved.text + String(Substring(location.utf8.drop { $0 != hash }))
        }
        // A target without a fragment inherits one (RFC 9110 §10.2.2).
        let fragment = target.utf8.contains(hash) ? "" : url.text[url.fragmentStart...]
        return withoutUserInformation(target) + fragment
    }

    private static func hasEscapedDot(_ location: String) -> Bool {
        let bytes = location.utf8.span
        for index in bytes.indices.dropLast(2) where bytes[index] == UInt8(ascii: "%") {
            if bytes[index + 1] == UInt8(ascii: "2"), bytes[index + 2] | 0x20 == UInt8(ascii: "e") {
                return true
            }
        }
        return false
    }

    /// A 303 turns every method but HEAD into GET; a 301 or 302 turns POST into GET (RFC 9110
    /// §15.4.2–4).
    private static func method(after status: Int, _ method: String) -> String {
        switch status {
        case 303: method == "HEAD" ? "HEAD" : "GET"
        case 301, 302: method == "POST" ? "GET" : method
        default: method
        }
    }

    private static func withoutUserInformation(_ url: String) -> String {
        let bytes = url.utf8
        guard let colon = url.firstByteIndex(of: ":"), bytes[colon...].starts(with: "://".utf8)
        else { return url }
        let rest = bytes[colon...].dropFirst(3)
        let authority = rest.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        // A backslash is refused: for browsers it would end the authority.
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
            !authority.contains(UInt8(ascii: "\\"))
        else { return url }
        return String(url[..<rest.startIndex]) + url[bytes.index(after: at)...]
    }

    /// Advice about a target that the runner does not request by itself.
    private static let targetHelp = "write the final URL in the job, if you trust it"

    /// A target as messages quote it: without user information, which callers remove or refuse,
    /// and without its query, which may contain a secret of the server.
    static func shown(_ url: TransferURL) -> String { withoutQuery(url.text) }

    private static func withoutQuery(_ url: String) -> String {
        let text = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return TextExcerpt.of(String(decoding: text, as: UTF8.self))
    }

    /// Why a target is refused; quotes only a target whose user information, which may contain a
    /// password, can be told apart.
    private static func describe(_ fault: URLFault, _ target: String) -> String {
        guard case .unsupportedScheme(let scheme) = fault, scheme.allSatisfy(\.isLetter) else {
            return "a redirect to something other than an http or https URL is not followed"
        }
        let shown = withoutQuery(withoutUserInformation(target))
        let words =
            shown.hasBytePrefix("\(scheme)://") && !shown.containsBytes("@")
                && !shown.containsBytes("\\")
            ? shown : "a URL of `\(scheme)`"
        return "a redirect to \(words) is not followed: only http and https are"
    }

    /// `isLimit`: there were too many redirects, as opposed to an unwanted one.
    private static func refuse(
        _ detail: String,
        help: String? = nil,
        isLimit: Bool = false,
        decidingKey: [String] = []
    ) -> RedirectDecision {
        var failure = TransferFailure(kind: .redirectLimit, phase: .finish, detail: detail)
        if isLimit {
            failure.urlError = .httpTooManyRedirects
        }
        failure.isPermanent = true
        failure.help = help
        failure.decidingKey = decidingKey
        return .refuse(failure)
    }
}

extension TransferURL {
    /// The start of the fragment, with its hash; the end of the text without one.
    fileprivate var fragmentStart: String.Index {
        text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    }
}

/// The redirects that one attempt has followed.
struct RedirectTrail {
    /// Each redirected hop in order, as described by `RedirectDecision.visit`.
    private(set) var visited: [String] = []
    /// The number of followed redirects.
    private(set) var count = 0
    /// Whether a request that must not be sent twice was answered, so that the hop only fetches its
    /// result.
    private(set) var followsOrder = false

    /// Notes that a hop was redirected.
    mutating func visit(_ hop: String) { visited.append(hop) }

    /// Notes that a redirect is followed.
    mutating func follow() { count += 1 }

    /// Notes that the redirect turned a request that must not be sent twice into one that only
    /// fetches its result.
    mutating func leaveOrder() { followsOrder = true }

    /// Notes that another leg of an upload begins; the loops of its redirects are checked
    /// separately.
    mutating func beginLeg() { visited = [] }
}

extension RedirectRule {
    /// Whether another request may follow a redirect; otherwise the response is the result.
    ///
    /// A `Location` without a usable URL counts as followed, so that the task fails with that
    /// reason.
    func leadsOn(_ head: ResponseHead, from url: TransferURL) -> Bool {
        guard !decisions.isEmpty else { return follow != .never }
        let target = head.fields["location"].flatMap(url.resolving)
        return follow(to: target?.origin) != .never
    }
}
