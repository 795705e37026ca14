import TransferModel

/// One connection of a scripted server: reads requests and plays replies on its own thread.
struct ScriptedConnection {
    /// The peer left or sent no HTTP, or the server stopped.
    private struct Ended: Error {}

    let number: Int
    let socket: Descriptor
    let stop: Gate
    /// Body bytes to read before the reply; nil means all.
    let maximumBodyRead: Int?
    /// Whether a request that expects 100 (Continue) gets it, or the reply without its body; nil
    /// gives no answer.
    let continues: (@Sendable (HeaderFields) -> Bool)?
    /// The proxy greeting before HTTP.
    let socks: SOCKSGreeting?
    /// The bytes to send before reading a request's body.
    var before: (@Sendable (RecordedRequest) -> [UInt8]?)?
    /// The most bytes to read of a request's body.
    var bodyLimit: (@Sendable (RecordedRequest) -> Int?)?
    private var buffer: [UInt8] = []
    private var requestCount = 0

    init(
        number: Int,
        socket: Descriptor,
        stop: Gate,
        maximumBodyRead: Int?,
        continues: (@Sendable (HeaderFields) -> Bool)? = nil,
        socks: SOCKSGreeting? = nil
    ) {
        self.number = number
        self.socket = socket
        self.stop = stop
        self.maximumBodyRead = maximumBodyRead
        self.continues = continues
        self.socks = socks
    }

    /// Answers requests until one side ends the connection.
    mutating func serve(_ answer: (RecordedRequest) -> Reply) {
        if let socks {
            guard (try? greet(socks)) != nil else { return }
        }
        while let request = try? readRequest() {
            guard (try? play(answer(request))) != nil else { return }
        }
    }

    /// Performs the SOCKS greeting (RFC 1928 §3–§6, RFC 1929; SOCKS 4a).
    private mutating func greet(_ socks: SOCKSGreeting) throws {
        let first = try take(2)
        if first[0] == 4 { return try greetBriefly(socks) }
        let methods = try take(Int(first[1]))
        let method: UInt8 = socks.user == nil ? 0 : 2
        guard methods.contains(method) else {
            try send([5, 0xFF])
            throw Ended()
        }
        try send([5, method])
        if method == 2 {
            let user = try take(Int(take(2)[1]))
            let password = try take(Int(take(1)[0]))
            let isKnown = socks.isKnown(user, password)
            try send([1, isKnown ? 0 : 1])
            guard isKnown else { throw Ended() }
        }
        let type = try take(4)[3]
        let host = try take(type == 3 ? Int(take(1)[0]) : type == 1 ? 4 : 16)
        let port = try take(2)
        socks.note(host, isName: type == 3, port: Int(port[0]) << 8 | Int(port[1]))
        try send([5, socks.reply, 0, 1, 0, 0, 0, 0, 0, 0])
        guard socks.reply == 0 else { throw Ended() }
    }

    /// Performs the rest of a SOCKS 4 or 4a greeting: port, address, user name, and a host name for
    /// an address 0.0.0.x.
    private mutating func greetBriefly(_ socks: SOCKSGreeting) throws {
        let port = try take(2)
        let address = try take(4)
        let user = try takeText()
        let isName = address.starts(with: [0, 0, 0]) && address[3] != 0
        let host = isName ? try takeText() : address
        socks.note(host, isName: isName, port: Int(port[0]) << 8 | Int(port[1]))
        let isLetIn = socks.reply == 0 && (socks.user == nil || socks.isKnown(user, []))
        try send([0, isLetIn ? 90 : 91, 0, 0, 0, 0, 0, 0])
        guard isLetIn else { throw Ended() }
    }

    /// The bytes before a NUL.
    private mutating func takeText() throws -> [UInt8] {
        var text: [UInt8] = []
        while let byte = try take(1).first, byte != 0 { text.append(byte) }
        return text
    }

    // MARK: Reading

    private mutating func readRequest() throws -> RecordedRequest {
        let head = try readHead()
        let lines = head.split(separator: 10)
        guard let first = lines.first else { throw Ended() }
        let words = String(decoding: first, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3 else { throw Ended() }
        var headers = HeaderFields()
        for line in lines.dropFirst() where line != [13] {
            headers.append(line: Array(line).span)
        }
        requestCount += 1
        var request = RecordedRequest(
            method: String(words[0]),
            target: String(words[1]),
            headers: headers,
            body: [],
            connection: number,
            indexOnConnection: requestCount,
            earlierRequestsForPath: 0
        )
        if let early = before?(request) { try send(early) }
        request.body = try readBody(headers, limit: bodyLimit?(request) ?? maximumBodyRead)
        return request
    }

    private mutating func readHead() throws -> [UInt8] {
        var searched = 0
        while true {
            if let end = buffer.end(of: [13, 10, 13, 10], from: searched) {
                defer { buffer.removeFirst(end) }
                return Array(buffer[..<end])
            }
            searched = max(buffer.count - 3, 0)
            try readMore()
        }
    }

    private mutating func readBody(_ headers: HeaderFields, limit: Int?) throws -> [UInt8] {
        if let continues, headers["expect"] == "100-continue" {
            guard continues(headers) else { return [] }
            try send(Reply.head(100, []))
        }
        if headers["transfer-encoding"]?.lowercased() == "chunked" { return try readChunks(limit) }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        return try take(min(length, limit ?? length))
    }

    private mutating func readChunks(_ limit: Int?) throws -> [UInt8] {
        var body: [UInt8] = []
        while body.count < limit ?? .max {
            guard let size = Int(try readLine().prefix { $0 != ";" }, radix: 16) else {
                throw Ended()
            }
            if size == 0 {
                while try !readLine().isEmpty {}
                break
            }
            body += try take(size)
            _ = try readLine()
        }
        return body
    }

    private mutating func readLine() throws -> String {
        while true {
            if let end = buffer.end(of: [13, 10]) {
                defer { buffer.removeFirst(end) }
                return String(decoding: buffer[..<(end - 2)], as: UTF8.self)
            }
            try readMore()
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try readMore() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private mutating func readMore() throws {
        try wait(for: .readable(socket))
        guard let bytes = socket.read(), !bytes.isEmpty else { throw Ended() }
        buffer += bytes
    }

    // MARK: Playing

    private func play(_ reply: Reply) throws {
        for step in reply.steps {
            switch step {
            case .send(let bytes):
                try send(bytes)
            case .sendRepeatedly(let bytes, let count):
                for _ in 0..<count { try send(bytes) }
            case .drip(let bytes, let interval):
                for byte in bytes {
                    try send([byte])
                    try pause(interval)
                }
            case .wait(let gate):
                try wait(for: .readable(gate.descriptor), orAbandoned: true)
            case .waitForPeerToLeave:
                try wait(for: .abandoned(socket))
            case .open(let gate):
                gate.open()
            case .close:
                throw Ended()
            case .reset:
                LoopbackSocket.closeWillReset(socket)
                throw Ended()
            }
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        // A peer that always reads would never make `send` wait.
        if stop.isOpen { throw Ended() }
        try LoopbackSocket.send(bytes, to: socket) { try wait(for: .writable(socket)) }
    }

    /// Waits for the interval, unless the peer leaves or the server stops.
    private func pause(_ interval: Duration) throws {
        let events = [Readiness.readable(stop.descriptor), .abandoned(socket)]
        if Readiness.wait(for: events, until: Deadline(after: interval)) != nil { throw Ended() }
    }

    private func wait(for event: Readiness, orAbandoned: Bool = false) throws {
        let events =
            [event, .readable(stop.descriptor)] + (orAbandoned ? [.abandoned(socket)] : [])
        guard Readiness.wait(for: events, until: Deadline()) == 0 else { throw Ended() }
    }
}
