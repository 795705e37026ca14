import Glibc
import SystemKit
package import TransferModel

/// A WebSocket server on a free loopback port that sends the bytes of a script, also wrong ones,
/// and records the frames of its clients.
package final class ScriptedWebSocketServer: Sendable {
    /// The server's actions after its opening handshake.
    package struct Script: Sendable {
        /// The bytes that the server sends, in this order.
        package var bytes: [UInt8]
        /// The bytes of each piece; nil sends all at once.
        package var pieceSize: Int?
        /// Whether the server answers the client's Close frame; a script that has one sends no
        /// other.
        package var answersClose: Bool
        /// Whether the server ends the connection after its bytes without waiting for the client.
        package var hangsUp = false

        /// Creates a script.
        package init(_ bytes: [UInt8], pieceSize: Int? = nil, answersClose: Bool = true) {
            self.bytes = bytes
            self.pieceSize = pieceSize
            self.answersClose = answersClose
        }
    }

    /// A connection that has ended.
    package struct Visit: Sendable {
        /// The path of the request, with its query.
        package var target: String
        /// The fields of the request.
        package var headers: HeaderFields
        /// The client's frames; nil when one of them is wrong.
        package var frames: [ClientFrame]?
    }

    /// The answer to a request: the script, or a response without one.
    package enum Answer: Sendable {
        /// 101 with these lines in addition, then the script.
        case open(Script, lines: [String])
        /// Other bytes; then the connection ends.
        case refuse([UInt8])
    }

    private let listener: LoopbackListener
    private let log: Lock<[Visit]>
    /// The port at 127.0.0.1.
    package var port: UInt16 { listener.port }

    /// Without a slash at its end.
    package var origin: String { "ws://127.0.0.1:\(port)" }

    /// All connections that have ended.
    package var visits: [Visit] { log.withLock { $0 } }

    /// The connections for a path that have ended.
    package func visits(to target: String) -> [Visit] { visits.filter { $0.target == target } }

    /// Answers each request by its target and its fields.
    package init(
        answer: @escaping @Sendable (_ target: String, HeaderFields) -> Answer
    ) throws {
        let log = Lock<[Visit]>([])
        self.log = log
        listener = try LoopbackListener { socket, _, stop in
            var connection = Connection(socket: socket, stop: stop)
            guard let visit = try? connection.serve(answer) else { return }
            log.withLock { $0.append(visit) }
        }
    }

    /// Plays the script of each path; other paths get 404.
    package convenience init(_ scripts: [String: Script]) throws {
        try self.init { target, _ in
            guard let script = scripts[target] else { return .refuse(Reply.head(404, [])) }
            return .open(script, lines: [])
        }
    }

    /// The value of `Sec-WebSocket-Accept` for a request (RFC 6455 §4.2.2).
    package static func accept(of headers: HeaderFields) -> String {
        let key = headers["sec-websocket-key"] ?? ""
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Base64.encode(PlainSHA1.digest(of: Array(text.utf8)))
    }

    /// One connection, on its own thread.
    private struct Connection {
        struct Ended: Error {}

        let socket: Descriptor
        let stop: Gate
        var buffer: [UInt8] = []

        mutating func serve(
            _ answer: (String, HeaderFields) -> Answer
        ) throws -> Visit {
            let head = try readHead()
            let lines = head.split(separator: 10)
            let words = String(decoding: lines.first ?? [], as: UTF8.self).split(separator: " ")
            guard words.count == 3 else { throw Ended() }
            var visit = Visit(target: String(words[1]), headers: HeaderFields(), frames: [])
            for line in lines.dropFirst() where line != [13] {
                visit.headers.append(line: Array(line).span)
            }
            switch answer(visit.target, visit.headers) {
            case .refuse(let bytes): try send(bytes)
            case .open(let script, let lines):
                let fields = [
                    "Upgrade: websocket", "Connection: Upgrade",
                    "Sec-WebSocket-Accept: \(accept(of: visit.headers))",
                ]
                try send(Reply.head(101, fields + lines))
                try play(script)
                visit.frames = ClientFrame.read(buffer)
            }
            LoopbackSocket.endSending(socket)
            return visit
        }

        private mutating func play(_ script: Script) throws {
            let size = script.pieceSize ?? max(1, script.bytes.count)
            do {
                for start in stride(from: 0, to: script.bytes.count, by: size) {
                    try send(Array(script.bytes[start..<min(start + size, script.bytes.count)]))
                }
            } catch is SystemError {
                // A client that has failed the connection reads no more.
            }
            guard !script.hangsUp else { return }
            while let frames = ClientFrame.readWhole(buffer) {
                if let close = frames.first(where: { $0.opcode == ServerFrame.close }) {
                    guard script.answersClose else { return }
                    return try send(ServerFrame.make(ServerFrame.close, close.payload))
                }
                guard try readMore() else { return }
            }
        }

        private mutating func readHead() throws -> [UInt8] {
            while true {
                if let end = buffer.end(of: [13, 10, 13, 10]) {
                    defer { buffer.removeFirst(end) }
                    return Array(buffer[..<end])
                }
                guard try readMore() else { throw Ended() }
            }
        }

        /// Reads more; false at the end of the connection.
        private mutating func readMore() throws -> Bool {
            try wait(for: .readable(socket))
            guard let bytes = socket.read(), !bytes.isEmpty else { return false }
            buffer += bytes
            return true
        }

        private func send(_ bytes: [UInt8]) throws {
            try LoopbackSocket.send(bytes, to: socket) { try wait(for: .writable(socket)) }
        }

        private func wait(for event: Readiness) throws {
            let events = [event, .readable(stop.descriptor)]
            guard Readiness.wait(for: events, until: Deadline()) == 0 else { throw Ended() }
        }
    }
}

extension ClientFrame {
    /// The whole frames at the beginning of bytes; nil for a wrong frame.
    fileprivate static func readWhole(_ bytes: [UInt8]) -> [ClientFrame]? {
        // The lengths of frames, without their other rules.
        var end = 0
        while end + 2 <= bytes.count {
            var count = Int(bytes[end + 1] & 0x7F)
            let lengthBytes = count == 126 ? 2 : count == 127 ? 8 : 0
            guard end + 2 + lengthBytes <= bytes.count else { break }
            if lengthBytes > 0 {
                count = bytes[(end + 2)..<(end + 2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
            }
            let next = end + 2 + lengthBytes + 4 + count
            guard next <= bytes.count else { break }
            end = next
        }
        return read(Array(bytes[..<end]))
    }
}

/// SHA-1 in plain code, apart from the code under test (FIPS 180-4 §6.1).
private enum PlainSHA1 {
    static func digest(of message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let length = UInt64(message.count) * 8
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * $0)) }
        func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
            word << count | word >> (32 - count)
        }
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { index in
                bytes[(start + 4 * index)..<(start + 4 * index + 4)].reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
            }
            for index in 16..<80 {
                let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14]
                words.append(rotate(mixed ^ words[index - 16], 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let (choice, constant): (UInt32, UInt32) =
                    switch index {
                    case ..<20: (b & c | ~b & d, 0x5A82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let sum = rotate(a, 5) &+ choice &+ e &+ constant &+ words[index]
                (a, b, c, d, e) = (sum, a, rotate(b, 30), c, d)
            }
            for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }
}
