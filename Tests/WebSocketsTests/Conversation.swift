import TestSupport
import Testing

@testable import WebSockets

/// A server's bytes given to a new machine in several cuts, all of which must have the same events
/// and answers.
struct Conversation {
    /// The events of the bytes.
    let events: [ConnectionEvent]
    /// The client's frames.
    let answers: [ClientFrame]
    /// The client's next step with the connection behind the bytes.
    let transport: WebSocketMachine.Transport

    init(
        _ frames: [UInt8]...,
        maximumMessageSize: Int = 1 << 20,
        prepare: (inout WebSocketMachine) throws -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = Array(frames.joined())
        // Whole, by single bytes, by frames and by pieces of 997 bytes.
        let cuts = [
            [bytes], bytes.map { [$0] }, frames,
            stride(from: 0, to: bytes.count, by: 997).map {
                Array(bytes[$0..<min($0 + 997, bytes.count)])
            },
        ]
        let readings = try cuts.map { pieces in
            var machine = WebSocketMachine(
                maximumMessageSize: maximumMessageSize,
                maskingKeys: SplitMix64(seed: 6455)
            )
            try prepare(&machine)
            let events = pieces.flatMap { machine.receive($0) }
            return (events, machine.takeOutput(), machine.transport)
        }
        let (events, output, transport) = readings[0]
        for reading in readings.dropFirst() {
            #expect(reading.0 == events, sourceLocation: sourceLocation)
            #expect(reading.1 == output, sourceLocation: sourceLocation)
            #expect(reading.2 == transport, sourceLocation: sourceLocation)
        }
        self.events = events
        self.transport = transport
        answers = try #require(ClientFrame.read(output), sourceLocation: sourceLocation)
    }

    /// The fault of the last event, if the client told the server and closes the connection.
    var fault: ProtocolFault? {
        guard case .failed(let fault) = events.last, transport == .close,
            let close = answers.last,
            close == .close(fault.closeCode.rawValue, fault.message)
        else { return nil }
        return fault
    }

    /// The events before the fault.
    var eventsBeforeFault: [ConnectionEvent] { fault == nil ? events : events.dropLast() }
}

extension ConnectionEvent {
    /// A text message.
    static func text(_ text: String) -> ConnectionEvent { .message(Message(text: text)) }

    /// A binary message.
    static func binary(_ bytes: [UInt8]) -> ConnectionEvent { .message(Message(binary: bytes)) }

    static func ping(_ text: String) -> ConnectionEvent { .ping(Array(text.utf8)) }

    static func pong(_ text: String, answered: Int) -> ConnectionEvent {
        .pong(Array(text.utf8), answered: answered)
    }

    static func closing(_ code: UInt16?, _ reason: String = "") -> ConnectionEvent {
        .closing(Closing(code: code.map(CloseCode.init), reason: reason))
    }
}

/// `#expect` takes no spans.
extension WebSocketMachine {
    mutating func receive(_ bytes: [UInt8]) -> [ConnectionEvent] { receive(bytes.span) }

    mutating func send(
        fragment: [UInt8],
        of kind: Message.Kind,
        isFinal: Bool
    ) throws(SendRefusal) {
        try send(fragment: fragment.span, of: kind, isFinal: isFinal)
    }
}
