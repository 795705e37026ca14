internal import JSON
internal import SystemKit
internal import TransferModel

/// Reads the output of a program that serves a custom scheme: lines of JSON, and bytes of the body
/// after each `data` message.
///
/// A value without I/O. It keeps one incomplete line at most, whatever the program writes.
package struct ProgramDecoder: Sendable {
    /// A step of the response.
    package enum Event: Sendable, Hashable {
        case response(ProgramResponse)
        case redirect(ProgramRedirect)
        /// Bytes of the body, by their place in the input.
        case data(Range<Int>)
        case finish
        case fail(ProgramFailure)
    }

    /// The legal order: `start` → `body` → `over`, or `start` → `over`.
    private enum Stage {
        /// No response so far.
        case start
        /// The body follows, or its end.
        case body
        /// The program has nothing to say any more.
        case over
    }

    private var stage = Stage.start
    private var line: [UInt8] = []
    /// The bytes of the running `data` message that have not arrived.
    private var pieceRest = 0
    /// The bytes of the announced body that no `data` message has named; nil without a length.
    private var bodyRest: Int64?
    private var messageCount = 0

    /// Creates a decoder for one conversation.
    package init() {}

    /// Whether the conversation has ended: the rest of the input means nothing.
    package var isOver: Bool { stage == .over }
    /// Whether the response has arrived, but not the end of its body.
    package var isInBody: Bool { stage == .body }
    /// Whether a message has begun and is not whole.
    package var isInsideMessage: Bool { !line.isEmpty || pieceRest > 0 }
    /// The bytes of the announced body that the program has not sent; nil without a length.
    package var missingCount: Int64? { bodyRest.map { $0 + Int64(pieceRest) } }
    /// The bytes that are kept until more arrive.
    package var heldByteCount: Int { line.count }

    /// Reads the next step.
    ///
    /// - Parameters:
    ///   - bytes: Output of the program.
    ///   - position: Where to begin in it; afterwards, after the bytes that were read.
    /// - Returns: The step; nil when all bytes were read.
    /// - Throws: The first fault of the output, with which the conversation is over.
    package mutating func next(
        in bytes: Span<UInt8>,
        from position: inout Int
    ) throws(ProgramFault) -> Event? {
        while position < bytes.count {
            if isOver {
                position = bytes.count
            } else if pieceRest > 0 {
                let start = position
                position += min(pieceRest, bytes.count - start)
                pieceRest -= position - start
                return .data(start..<position)
            } else if try readLine(in: bytes, from: &position) {
                defer { line.removeAll(keepingCapacity: true) }
                if let event = try readMessage() { return event }
            }
        }
        return nil
    }

    /// Adds to the line; returns whether it is whole.
    private mutating func readLine(
        in bytes: Span<UInt8>,
        from position: inout Int
    ) throws(ProgramFault) -> Bool {
        var end = position
        while end < bytes.count, bytes[end] != 10 { end += 1 }
        guard line.count + end - position <= ConversationLimits.longestLine else {
            messageCount += 1
            throw fault("the line is longer than \(ConversationLimits.longestLine) bytes")
        }
        line.reserveCapacity(line.count + end - position)
        for index in position..<end { line.append(bytes[index]) }
        let isWhole = end < bytes.count
        position = isWhole ? end + 1 : end
        return isWhole
    }

    private mutating func fault(_ reason: String) -> ProgramFault {
        stage = .over
        line = []
        return ProgramFault(message: messageCount, reason: reason)
    }

    /// Reads the message on the whole line; nil for one that only announces bytes.
    private mutating func readMessage() throws(ProgramFault) -> Event? {
        messageCount += 1
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(bytes: line)
        } catch {
            throw fault("the line is not JSON: \(error)")
        }
        guard let name = value["message"]?.string else {
            throw fault("the line is not an object with the member `message`")
        }
        guard let shape = MessageShape.ofProgram.first(where: { $0.name.hasSameBytes(as: name) })
        else {
            throw fault("`\(name.onOneLine(limit: 40).text)` is not a message of a program")
        }
        if let reason = shape.fault(of: value.members) { throw fault(reason) }
        return try take(value, shape.name)
    }

    /// Takes a message of the right shape in its turn.
    private mutating func take(_ value: JSONValue, _ name: String) throws(ProgramFault) -> Event? {
        switch (name, stage) {
        case ("fail", _):
            stage = .over
            return .fail(
                ProgramFailure(
                    kind: value["kind"]?.string.flatMap(TransferFailure.Kind.init(rawValue:))
                        ?? .reset,
                    detail: value["detail"]?.string ?? "",
                    isPermanent: value["isPermanent"]?.bool ?? false
                )
            )
        case ("response", .start):
            stage = .body
            bodyRest = value["expectedContentLength"]?.integer
            return .response(
                ProgramResponse(
                    statusCode: Int(value["statusCode"]?.integer ?? 0),
                    headers: fields(of: value),
                    expectedContentLength: bodyRest
                )
            )
        case ("redirect", .start):
            stage = .over
            return .redirect(
                ProgramRedirect(
                    statusCode: Int(value["statusCode"]?.integer ?? 0),
                    url: value["url"]?.string ?? "",
                    headers: fields(of: value)
                )
            )
        case ("data", .body):
            let length = Int(value["length"]?.integer ?? 0)
            if let rest = bodyRest {
                guard length <= rest else {
                    throw fault("the body is longer than `expectedContentLength`")
                }
                bodyRest = rest - Int64(length)
            }
            pieceRest = length
            return nil
        case ("finish", .body):
            stage = .over
            return .finish
        case (_, .start): throw fault("`\(name)` came before the response")
        default: throw fault("`\(name)` came after the response")
        }
    }

    private func fields(of value: JSONValue) -> [HeaderField] {
        value["headers"].flatMap(MemberType.fields) ?? []
    }
}
