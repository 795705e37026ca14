import ProtocolPrograms
import SystemKit
import TestSupport
import TransferModel

/// One output given to decoders whole, by single bytes and in random pieces, and compared with the
/// reference.
struct ProgramTrial {
    /// The kinds of the steps, runs of the same kind as one.
    private(set) var answer = ""
    /// The rules that the decoder broke, one sentence each.
    private(set) var faults: [String] = []
    /// The number of steps.
    private(set) var eventCount = 0

    private let bytes: [UInt8]

    /// The pieces follow from the bytes alone, so that a kept file is tried again alike.
    init(_ bytes: [UInt8]) {
        var random = SplitMix64(seed: bytes.span.fnv1a)
        self.bytes = bytes
        let whole = read { bytes.count }
        if whole.steps != ReferenceConversation(bytes).steps {
            faults.append("the steps are not those of the reference")
        }
        check(whole, "whole")
        compare(whole, read { 1 }, "by single bytes")
        for _ in 0..<3 {
            let longest = [3, 20, 300, 5000].randomElement(using: &random) ?? 1
            let pieces = read { Int.random(in: 1...longest, using: &random) }
            compare(whole, pieces, "in random pieces")
        }
        eventCount = whole.steps.count
        describe(whole.steps)
    }

    private struct Reading {
        var steps: [ConversationStep] = []
        var mostHeld = 0
    }

    /// Gives all bytes to a new decoder, in pieces of the lengths that `length` returns.
    private func read(length: () -> Int) -> Reading {
        var decoder = ProgramDecoder()
        var reading = Reading()
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, length()))
            let piece = bytes.span.extracting(start..<end)
            var position = 0
            do throws(ProgramFault) {
                while let event = try decoder.next(in: piece, from: &position) {
                    reading.steps.add(event, of: piece)
                }
            } catch {
                reading.steps.append(.fault(message: error.message))
            }
            reading.mostHeld = max(reading.mostHeld, decoder.heldByteCount)
            start = end
        }
        let isOver = decoder.isOver
        reading.steps.append(.end(isOver: isOver, isInside: !isOver && decoder.isInsideMessage))
        return reading
    }

    private mutating func check(_ reading: Reading, _ name: String) {
        if reading.mostHeld > ConversationLimits.longestLine {
            faults.append("\(name) the decoder holds \(reading.mostHeld) bytes")
        }
    }

    private mutating func compare(_ whole: Reading, _ other: Reading, _ name: String) {
        check(other, name)
        if other.steps != whole.steps { faults.append("\(name) the steps are others") }
    }

    private mutating func describe(_ steps: [ConversationStep]) {
        var names: [String] = []
        for step in steps {
            let name =
                switch step {
                case .response(let status, _, let length): "response\(status / 100)\(length != nil)"
                case .redirect(let status, _): "redirect\(status)"
                case .data: "data"
                case .finish: "finish"
                case .fail(let kind, let isPermanent): "\(kind)\(isPermanent)"
                case .fault(let message): "fault\(min(message, 6))"
                case .end(let isOver, let isInside): "end\(isOver)\(isInside)"
                }
            if names.last != name { names.append(name) }
        }
        answer = names.suffix(8).joined(separator: " ")
    }
}

/// A step of a conversation, with the bytes of the body between two messages as one.
enum ConversationStep: Equatable {
    case response(status: Int, fields: [String], length: Int64?)
    case redirect(status: Int, url: String)
    case data([UInt8])
    case finish
    case fail(kind: String, isPermanent: Bool)
    case fault(message: Int)
    case end(isOver: Bool, isInside: Bool)
}

extension [ConversationStep] {
    /// Adds a step of the decoder, whose bytes are in `input`.
    mutating func add(_ event: ProgramDecoder.Event, of input: Span<UInt8>) {
        switch event {
        case .response(let response):
            append(
                .response(
                    status: response.statusCode,
                    fields: response.headers.map { "\($0.name): \($0.value)" },
                    length: response.expectedContentLength
                )
            )
        case .redirect(let redirect):
            append(.redirect(status: redirect.statusCode, url: redirect.url))
        case .data(let range):
            var bytes: [UInt8] = []
            if case .data(let earlier)? = last {
                bytes = earlier
                removeLast()
            }
            bytes.append(input.extracting(range))
            append(.data(bytes))
        case .finish: append(.finish)
        case .fail(let failure):
            append(.fail(kind: failure.kind.label, isPermanent: failure.isPermanent))
        }
    }
}
