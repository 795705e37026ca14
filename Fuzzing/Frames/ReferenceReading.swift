import TestSupport
import WebSockets

/// The events that RFC 6455 demands for bytes of a server, found in plain code that has all bytes
/// at once.
struct ReferenceReading {
    /// The events up to the end of the connection behind the bytes.
    private(set) var events: [ConnectionEvent] = []
    /// The frames that a client sends which takes its output as soon as it arises.
    private(set) var answers: [ClientFrame] = []

    private let bytes: [UInt8]
    private let limit: Int
    private var hasClosed: Bool
    private var pings: [[UInt8]]
    private var index = 0
    private var kind: Message.Kind?
    private var message: [UInt8] = []
    private var closing: Closing?

    /// Reads until a Close frame, a fault or the end.
    init(_ bytes: [UInt8], limit: Int, hasClosed: Bool, pings: [[UInt8]]) {
        self.bytes = bytes
        self.limit = limit
        self.hasClosed = hasClosed
        self.pings = pings
        var isCut = false
        do throws(ProtocolFault) {
            while closing == nil, index < bytes.count, !isCut { isCut = try !readFrame() }
            isCut = closing == nil && (isCut || kind != nil)
        } catch {
            isCut = false
            events.append(.failed(error))
            if !hasClosed { answers.append(.close(error.closeCode.rawValue, error.message)) }
        }
        let end = ConnectionEnd(
            code: closing.map { $0.code ?? .noStatusReceived } ?? .abnormalClosure,
            reason: closing?.reason ?? "",
            isClean: closing != nil,
            isInsideMessage: isCut
        )
        events.append(.ended(end))
    }

    /// Reads one frame; false if it is cut.
    private mutating func readFrame() throws(ProtocolFault) -> Bool {
        let first = bytes[index]
        if first & 0x70 != 0 { throw .reservedBits(first & 0x70) }
        guard let opcode = Opcode(rawValue: first & 15) else { throw .reservedOpcode(first & 15) }
        let isFinal = first >= 0x80
        if opcode.rawValue >= 8, !isFinal { throw .fragmentedControlFrame(opcode) }
        guard index + 1 < bytes.count else { return false }
        let second = bytes[index + 1]
        if second >= 0x80 { throw .maskedFrame }
        if opcode.rawValue >= 8, second > 125 { throw .longControlFrame(opcode) }
        index += 2
        guard let length = try readLength(second) else { return false }
        let payload = Array(bytes[index...].prefix(length))
        let isWhole = payload.count == length
        index += payload.count
        if opcode.rawValue >= 8 {
            if isWhole { try takeControl(opcode, payload) }
        } else {
            try takeData(opcode, payload, length, isLast: isWhole && isFinal)
        }
        return isWhole
    }

    private mutating func readLength(_ second: UInt8) throws(ProtocolFault) -> Int? {
        guard second > 125 else { return Int(second) }
        let digits = bytes[index...].prefix(second == 126 ? 2 : 8)
        if second == 127, let first = digits.first, first >= 0x80 { throw .lengthTooLarge }
        guard digits.count == (second == 126 ? 2 : 8) else { return nil }
        index += digits.count
        let length = digits.reduce(0) { $0 << 8 | Int($1) }
        if length < (second == 126 ? 126 : 65536) { throw .lengthNotMinimal(length) }
        return length
    }

    private mutating func takeControl(
        _ opcode: Opcode,
        _ payload: [UInt8]
    ) throws(ProtocolFault) {
        switch opcode {
        case .ping:
            events.append(.ping(payload))
            answers.append(ClientFrame(opcode: ServerFrame.pong, payload: payload))
        case .pong:
            let count = pings.firstIndex(of: payload).map { $0 + 1 } ?? 0
            pings.removeFirst(count)
            events.append(.pong(payload, answered: count))
        default: try takeClose(payload)
        }
    }

    private mutating func takeClose(_ payload: [UInt8]) throws(ProtocolFault) {
        if payload.count == 1 { throw .closeCodeCut }
        var code: CloseCode?
        if payload.count >= 2 {
            let number = UInt16(payload[0]) * 256 + UInt16(payload[1])
            let reserved: Set<UInt16> = [1004, 1005, 1006, 1015]
            guard 1000...1015 ~= number || 3000...4999 ~= number, !reserved.contains(number) else {
                throw .closeCode(CloseCode(rawValue: number))
            }
            code = CloseCode(rawValue: number)
        }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            throw .closeReasonNotUTF8
        }
        let closing = Closing(code: code, reason: reason)
        self.closing = closing
        events.append(.closing(closing))
        if !hasClosed { answers.append(.close(code?.rawValue)) }
    }

    private mutating func takeData(
        _ opcode: Opcode,
        _ payload: [UInt8],
        _ length: Int,
        isLast: Bool
    ) throws(ProtocolFault) {
        if opcode == .continuation {
            if kind == nil { throw .continuationWithoutMessage }
        } else {
            if kind != nil { throw .messageInsideMessage }
            kind = opcode == .text ? .text : .binary
        }
        if length > limit - message.count { throw .messageTooLarge(limit: limit) }
        message += payload
        if kind == .text, let index = Self.firstFault(in: message, isWhole: isLast) {
            throw .textNotUTF8(at: index)
        }
        guard isLast else { return }
        let isText = kind == .text
        events.append(
            .message(
                isText
                    ? Message(text: String(decoding: message, as: UTF8.self))
                    : Message(binary: message)
            )
        )
        kind = nil
        message = []
    }

    /// The index of the first byte with which no text continues, by the standard library's check.
    private static func firstFault(in bytes: [UInt8], isWhole: Bool) -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        guard !canContinue(bytes[...]) else { return isWhole ? bytes.count : nil }
        // The longest beginning that some text has.
        var (possible, impossible) = (0, bytes.count)
        while impossible - possible > 1 {
            let middle = (possible + impossible) / 2
            if canContinue(bytes[..<middle]) { possible = middle } else { impossible = middle }
        }
        return possible
    }

    /// Whether some text begins with the bytes: these endings complete each beginning of a
    /// character.
    private static func canContinue(_ bytes: ArraySlice<UInt8>) -> Bool {
        let endings: [[UInt8]] = [
            [], [0x80], [0x80, 0x80], [0xA0, 0x80], [0x80, 0x80, 0x80], [0x90, 0x80, 0x80],
        ]
        return endings.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }
}
