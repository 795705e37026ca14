internal import Cookies
internal import CurlKit
internal import HTTPCache
internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// The objects that the tasks of one session share on an engine thread: connections, idle handles,
/// request fields.
final class SessionTransport {
    let configuration: SessionConfiguration
    /// nil when the session neither sends nor keeps cookies; all engine threads share the jar.
    let cookies: CookiePolicy?
    /// Shared with the other engine threads, and possibly with other sessions; nil without a cache.
    let cache: HTTPCache?
    /// The values that the engine's threads share.
    let context: EngineContext
    let multi: MultiHandle
    /// The interfaces that its connections may use: those of the session, or fewer for tasks that
    /// forbid more.
    let access: NetworkAccess
    /// nil when every interface is permitted.
    let paths: PathFinder?
    /// The options of every socket.
    let socketOptions: SocketOptions
    let turn: EngineTurn
    private let sockets: SocketTable
    private let easyConfiguration: EasyConfiguration
    /// The TLS versions and trusted certificates of the session.
    let tlsOptions: TLSOptions
    private let systemRoots: String?
    private let clientCertificates: ClientCertificates
    /// The newest version of HTTP that requests offer over TLS.
    private let secureProtocol: HTTPProtocol
    /// Which requests and bodies may use streams.
    let streamTrust: StreamTrust
    private var idleHandles: [EasyHandle] = []
    /// The sockets of the connections, by connection number.
    private var openings: [Int: SocketTable.Opening] = [:]
    /// The number of sockets at which the closed ones are removed.
    private var mostOpenings = 64
    var connections: KnownConnections
    /// The hosts to which no connection succeeded since their names were looked up.
    var unreachedHosts: Set<String> = []
    /// Origins that answered by HTTP/1.x without ALPN, so that they certainly speak it.
    private(set) var originsWithoutALPN: Set<Origin> = []
    /// Further origins are not remembered.
    private static let mostOriginsWithoutALPN = 1024
    /// The protection spaces that accepted the session's credentials.
    var acceptedCredentials = AcceptedCredentials()
    /// The lines of the session's `knownHosts` for servers of SSH.
    var knownHosts = KnownHostsReadings()
    /// The versions of resumable uploads that the origins support.
    var uploadSupport = UploadSupport()
    private let share: EngineShare
    private let routes: ProxyRoutes?
    /// nil when no script chooses the proxies.
    let scripted: ScriptedRoutes?
    /// The connections that may use several paths.
    var multipathConnections: Set<Int> = []
    /// The paths of its connections under a policy, by number; includes closed ones for a while.
    private(set) var ways: [Int: ConnectionInterface] = [:]
    /// The number of paths at which those of closed connections are removed.
    private var mostWays = 64

    /// The properties besides its fields that determine the lines of a request.
    private struct LineTraits: Hashable {
        var mayHaveBody = false
        var acceptsCodings = false
        var asksFirst = false
        var cookies: String?
    }

    private var lastHeaders: (fields: [HeaderField], traits: LineTraits, lines: [String])

    init(
        _ session: EngineContext.Session,
        _ context: EngineContext,
        tag: Int,
        driver: any MultiHandle.Driver,
        sockets: SocketTable,
        turn: EngineTurn,
        access: NetworkAccess,
        paths: PathFinder?,
        scripted: ScriptedRoutes?,
        share: EngineShare,
        isForConversations: Bool
    ) throws(CurlCode) {
        let configuration = session.configuration
        self.configuration = configuration
        cookies = session.cookieJar.map { CookiePolicy(jar: $0, clock: context.clock) }
        cache = session.cache
        self.context = context
        lastHeaders = ([], LineTraits(), Self.lines(for: [], LineTraits()))
        self.sockets = sockets
        self.turn = turn
        self.access = access
        self.paths =
            access.isRestricted || configuration.waitsForConnectivity ? paths : nil
        var options = SocketOptions()
        options.codePoint = configuration.networkServiceType.codePoint
        options.priority = configuration.networkServiceType.socketPriority
        options.isMultipath = configuration.multipathServiceType != .none
        socketOptions = options
        self.share = share
        connections = KnownConnections(share)
        routes = session.routes
        self.scripted = scripted
        secureProtocol = session.secureProtocol
        streamTrust = session.streamTrust
        clientCertificates = ClientCertificates(configuration.credentials)
        tlsOptions = TLSOptions(configuration.tls, roots: session.roots)
        systemRoots = session.roots.file?.assignment
        easyConfiguration = EasyConfiguration(
            // libcurl adds this number to others as an int.
            connectTimeoutMilliseconds: Int(
                min(max(1, configuration.connectTimeout.microseconds / 1000), Int64(Int32.max))
            ),
            tls: tlsOptions,
            connectTo: configuration.connectTo.map(\.line)
        )
        multi = try MultiHandle(
            tag: tag,
            driver: driver,
            sockets: sockets,
            idleConnections: context.maximumConcurrentAttempts,
            // 0 is no limit.
            connectionsPerHost: isForConversations
                ? 0 : share.part(of: configuration.httpMaximumConnectionsPerHost)
        )
    }

    /// The file of trusted roots, by its path or by the variable of the environment; nil for
    /// libcurl's.
    var caFile: String? { configuration.tls.caFile ?? systemRoots }

    /// Whether any request of the session may offer a version of HTTP with streams.
    var offersStreams: Bool { secureProtocol != .http1 }

    /// The newest version of HTTP that a request to the origin offers.
    func httpProtocol(for origin: Origin) -> HTTPProtocol {
        origin.scheme == .https ? secureProtocol : .http1
    }

    /// The certificate for an origin that asks for one; nil for none.
    func clientCertificate(for origin: Origin) -> EasyCertificate? {
        clientCertificates.certificate(for: origin)
    }

    /// An idle handle, or a new one.
    func takeHandle() throws(CurlCode) -> EasyHandle {
        if let handle = idleHandles.popLast() { return handle }
        return try EasyHandle(configuration: easyConfiguration, sockets: sockets)
    }

    /// Keeps a handle for the next attempt, unless it has an `errno` that the next attempt must not
    /// find.
    func giveBack(_ handle: EasyHandle) {
        handle.client = nil
        if handle.lastOSErrno == nil { idleHandles.append(handle) }
    }

    /// Keeps the path of a connection.
    func keep(_ way: ConnectionInterface) {
        ways[way.number] = way
        guard ways.count > mostWays else { return }
        ways = ways.filter { $0.value.socket?.isOpen != false }
        mostWays = max(mostWays, 2 * ways.count)
    }

    /// Ends a connection at once; the kernel drops unsent bytes.
    func reset(_ way: ConnectionInterface) {
        way.socket?.reset()
        ways[way.number] = nil
    }

    /// Ends the connections at once, including idle ones, whose interfaces are no longer permitted.
    func resetForbidden(in network: NetworkSnapshot) {
        guard access.isRestricted else { return }
        for way in ways.values
        where network.denial(ofRunningOver: way.interface, under: access) != nil {
            reset(way)
        }
    }

    /// The proxy route to an origin; nil for a direct connection.
    func route(to origin: Origin) -> ProxyRoute? {
        // A proxy would look the host up by itself.
        if configuration.connectTo.target(for: origin) != nil { return nil }
        if let scripted { return scripted.route(to: origin, at: .now) }
        return routes?.route(to: origin)
    }

    /// Whether the session's script must be asked for the proxy of an origin.
    func awaitsRoute(to origin: Origin) -> Bool {
        scripted?.knows(origin) == false && configuration.connectTo.target(for: origin) == nil
    }

    /// Notes the socket of a new connection.
    func keep(_ opening: SocketTable.Opening?, of number: Int) {
        if openings.count >= mostOpenings {
            openings = openings.filter { sockets.isOpen($0.value) }
            mostOpenings = max(64, 2 * openings.count)
        }
        openings[number] = opening
    }

    /// Whether the watch of the thread has reset the connection with that number.
    func hasCut(_ connection: Int) -> Bool { openings[connection].map(sockets.hasCut) ?? false }

    /// The progress of the connection with that number; nil when it is closed.
    func progress(of connection: Int) -> SocketProgress? {
        openings[connection].flatMap(progress)
    }

    /// The progress of a connection; nil when it is closed.
    func progress(of opening: SocketTable.Opening) -> SocketProgress? {
        sockets.progress(of: opening)
    }

    /// The field lines of a request for libcurl; most requests of a session have the same ones.
    func headerLines(
        for request: RequestSpec,
        cookies: String?,
        carriesBody: Bool,
        acceptsCodings: Bool,
        asksFirst: Bool
    ) -> [String] {
        let traits = LineTraits(
            mayHaveBody: carriesBody || ["POST", "PUT", "PATCH"].contains(request.method),
            acceptsCodings: acceptsCodings,
            asksFirst: asksFirst,
            cookies: cookies
        )
        if lastHeaders.traits != traits || lastHeaders.fields != request.headers {
            let lines = Self.lines(for: request.headers, traits)
            lastHeaders = (request.headers, traits, lines)
        }
        return lastHeaders.lines
    }

    /// Remembers that an origin speaks HTTP/1.x without a choice in the TLS handshake.
    func noteOriginWithoutALPN(_ origin: Origin) {
        guard originsWithoutALPN.count < Self.mostOriginsWithoutALPN else { return }
        originsWithoutALPN.insert(origin)
    }

    private static func lines(for fields: [HeaderField], _ traits: LineTraits) -> [String] {
        // An empty or blank field is written with a semicolon, because libcurl drops one with a
        // colon.
        var lines = fields.map { $0.isBlank ? "\($0.name);" : "\($0.name): \($0.value)" }
        if !fields.contains("user-agent") { lines.append("User-Agent: \(RunnerVersion.userAgent)") }
        // Bodies are stored as sent unless the task decodes them.
        if !fields.contains("accept-encoding") {
            let codings = traits.acceptsCodings ? BodyDecoding.acceptEncoding : "identity"
            lines.append("Accept-Encoding: \(codings)")
        }
        if let cookies = traits.cookies { lines.append("Cookie: \(cookies)") }
        guard traits.mayHaveBody else { return lines }
        // libcurl would add a form's type to a body without one, and wait for a 100 response that
        // few servers send.
        if !fields.contains("content-type") { lines.append("Content-Type:") }
        if !fields.contains("expect") {
            lines.append(traits.asksFirst ? "Expect: 100-continue" : "Expect:")
        }
        return lines
    }
}

// Decides which sockets and connections of the session an exchange may use.
extension SessionTransport {
    /// The options of the socket to an address; nil when no permitted interface leads there.
    func options(for peer: SocketAddress, _ path: inout PathPolicy?) -> SocketOptions? {
        var options = socketOptions
        switch path?.way(to: peer.ip, scope: peer.scope) {
        case .refused: return nil
        case .open(let device): options.device = device
        case .local, nil: break
        }
        return options
    }

    /// Whether a request may use a connection, by the connection's interface.
    func use(
        _ facts: ConnectionFacts,
        _ number: Int,
        isNew: Bool,
        of handle: EasyHandle,
        _ path: inout PathPolicy?
    ) -> PathPolicy.Use {
        let known = isNew ? nil : ways[number]
        let socket = isNew ? handle.socket(of: facts) : known?.socket
        let use = path?.use(facts, number, known: known, socket: socket) ?? .free
        if case .over = use, let way = path?.way { keep(way) }
        return use
    }

    /// Whether a connection may use several paths; a reused connection keeps that property.
    func isMultipath(
        _ facts: ConnectionFacts,
        _ number: Int,
        isNew: Bool,
        of handle: EasyHandle
    ) -> Bool {
        if isNew, handle.socket(of: facts)?.isMultipath == true {
            multipathConnections.insert(number)
        }
        return multipathConnections.contains(number)
    }

    /// Whether a reused connection is as its last response left it; otherwise extra bytes would
    /// pass for the next response.
    ///
    /// Frames of HTTP/2 and HTTP/3 name their stream and may come at any time (PING, GOAWAY):
    /// libcurl reads them. A TLS session ticket looks like other encrypted bytes, so that it costs
    /// the connection.
    func isClean(_ facts: ConnectionFacts, isEncrypted: Bool, of handle: EasyHandle) -> Bool {
        if handle.hasStreams { return true }
        // Both are checked, because `isClean` also forgets a spoiled connection.
        return connections.isClean(facts) && !(isEncrypted && handle.hasUnreadTLS)
    }

    /// Removes all stored responses that a response from the network makes invalid (RFC 9111 §4.4).
    func invalidate(
        after head: ResponseHead,
        of request: RequestSpec,
        at time: @autoclosure () -> Timestamp
    ) {
        guard !RequestSpec.isSafe(request.method) else { return }
        context.invalidation?.apply(head, to: request.method, request.url, at: time())
    }
}

extension TLSOptions {
    fileprivate init(_ tls: TLSConfiguration, roots: RootsEnvironment) {
        self.init()
        minimumVersion = Version(tls.minimumVersion)
        maximumVersion = tls.maximumVersion.map(Version.init)
        caFile = tls.caFile
        systemFile = roots.file?.path
        systemFolder = roots.folder?.path
        let keys = tls.pinnedPublicKeys
        pinnedPublicKeys = keys.isEmpty ? nil : keys.joined(separator: ";")
        isVerified = tls.serverTrust == .system
    }
}

extension TLSOptions.Version {
    fileprivate init(_ version: TLSConfiguration.Version) {
        switch version {
        case .tls12: self = .tls12
        case .tls13: self = .tls13
        }
    }
}

/// The client certificates of a session, each for its own servers.
struct ClientCertificates {
    private var entries: [(space: ProtectionSpace, certificate: EasyCertificate)] = []

    /// Takes the certificates among a session's credentials.
    init(_ credentials: [Credential]) {
        for credential in credentials {
            guard case .clientCertificate(let certificate) = credential.proof else { continue }
            entries.append((credential.space, EasyCertificate(certificate)))
        }
    }

    /// The certificate for an origin that asks for one; nil for none.
    func certificate(for origin: Origin) -> EasyCertificate? {
        guard !entries.isEmpty, origin.scheme == .https else { return nil }
        return entries.first { $0.space.contains(origin) }?.certificate
    }
}

extension EasyCertificate {
    fileprivate init(_ certificate: ClientCertificate) {
        let isPEM = certificate.key != nil || !Self.isPKCS12(certificate.certificate)
        self.init(
            certificateFile: certificate.certificate,
            keyFile: certificate.key,
            format: isPEM ? .pem : .pkcs12,
            password: certificate.password?.withText { $0 }
        )
    }

    /// Whether a file begins like PKCS #12, with a sequence in DER; PEM begins with text.
    private static func isPKCS12(_ path: String) -> Bool {
        (try? InputFile(path: path).read(at: 0, count: 1)) == [0x30]
    }
}

/// The multi handle for a request: each session has one, one more for each set of interfaces that
/// tasks forbid in addition, and one for the conversations of each.
struct TransportPositions {
    /// A session under the stricter rules of some tasks, or for their conversations: libcurl closes
    /// a connection that is only opened when another exchange of its multi handle wants its place.
    private struct SpecialSession: Hashable {
        var session: Int
        var access: NetworkAccess
        var isForConversations: Bool
    }

    private let accesses: [NetworkAccess]
    private var special: [SpecialSession: Int] = [:]

    init(of sessions: [SessionConfiguration]) {
        accesses = sessions.map(\.access)
    }

    /// The number of positions so far; those of the sessions come first.
    var count: Int { accesses.count + special.count }

    /// The position of the transport for a request: the session's own, unless the task forbids
    /// more or has a conversation.
    mutating func position(for request: borrowing AttemptRequest) -> Int {
        let session = request.session
        let access = request.access.intersection(accesses[session])
        let isForConversations = request.conversationStart != nil
        if access == accesses[session], !isForConversations { return session }
        let key = SpecialSession(
            session: session,
            access: access,
            isForConversations: isForConversations
        )
        if let position = special[key] { return position }
        let position = count
        special[key] = position
        return position
    }
}

/// The connections of one session on one engine thread, by their ends.
///
/// Closed connections stay until a new one has the same ends: no two open connections share both
/// ends.
struct KnownConnections {
    private struct Entry {
        var number: Int
        /// nil if unknown.
        var socket: ConnectionSocket?
    }

    private let share: EngineShare
    private var entries: [ConnectionFacts: Entry] = [:]
    private var count = 0
    /// The numbers of the connections that carried bytes beyond the end of a response.
    private var spoiled: Set<Int> = []

    init(_ share: EngineShare) {
        self.share = share
    }

    /// The number of a connection: a new one gets the next, a reused one keeps its own.
    ///
    /// `socket` finds the socket of a new connection.
    mutating func number(
        of connection: ConnectionFacts,
        isNew: Bool,
        socket: () -> ConnectionSocket?
    ) -> Int {
        if !isNew, let entry = entries[connection] { return entry.number }
        let number = share.number(of: count)
        count += 1
        entries[connection] = Entry(number: number, socket: isNew ? socket() : nil)
        return number
    }

    /// Notes that a connection carried bytes beyond the end of a response.
    mutating func spoil(_ number: Int) { spoiled.insert(number) }

    /// Whether an idle connection is silent since its last response and still open at the peer's
    /// side.
    ///
    /// A peer may close a connection at any time (RFC 9112 §9.5); other bytes belong to no request
    /// (§6.3).
    mutating func isClean(_ connection: ConnectionFacts) -> Bool {
        guard let entry = entries[connection], entry.socket?.isSilent == true else { return false }
        return spoiled.isEmpty || spoiled.remove(entry.number) == nil
    }
}
