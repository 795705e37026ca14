import JSON
import ProtocolPrograms

/// The steps that the rules demand for an output, found in plain code that has all bytes at once.
struct ReferenceConversation {
    /// The steps up to the end of the output.
    private(set) var steps: [ConversationStep] = []

    private let bytes: [UInt8]
    private var index = 0
    private var count = 0
    private var hasResponse = false
    private var isOver = false
    private var isInside = false
    /// The bytes of the body that may still follow.
    private var rest: Int64?

    private struct Wrong: Error {}

    private static let kinds = [
        "resolve", "connect", "tls", "timeout", "stalled", "reset", "protocolViolation",
        "truncated", "localIO",
    ]

    /// Reads until the last message, a fault or the end.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        do {
            while !isOver, index < bytes.count, !isInside { try readMessage() }
        } catch {
            steps.append(.fault(message: count))
            isOver = true
        }
        steps.append(.end(isOver: isOver, isInside: !isOver && isInside))
    }

    private mutating func readMessage() throws {
        let line = bytes[index...].prefix { $0 != 10 }
        count += 1
        guard line.count <= 65536 else { throw Wrong() }
        guard line.endIndex < bytes.count else {
            isInside = true
            return
        }
        index = line.endIndex + 1
        guard let object = try? JSONValue(bytes: Array(line)),
            let message = object["message"]?.string
        else { throw Wrong() }
        let names = object.members.map(\.name).filter { $0 != "message" }
        func check(_ required: Set<String>, _ optional: Set<String> = []) throws {
            guard required.isSubset(of: names), required.union(optional).isSuperset(of: names)
            else {
                throw Wrong()
            }
            if required.contains("version"), object["version"]?.integer != 1 { throw Wrong() }
        }
        switch message {
        case "response":
            try check(["version", "statusCode"], ["headers", "expectedContentLength"])
            try takeResponse(object)
        case "redirect":
            try check(["version", "statusCode", "url"], ["headers"])
            guard !hasResponse, let status = object["statusCode"]?.integer,
                [301, 302, 303, 307, 308].contains(status),
                let url = object["url"]?.string, isText(url, 65536)
            else { throw Wrong() }
            _ = try fields(of: object)
            steps.append(.redirect(status: Int(status), url: url))
            isOver = true
        case "data":
            try check(["length"])
            try takeData(object)
        case "finish":
            try check([])
            guard hasResponse else { throw Wrong() }
            steps.append(.finish)
            isOver = true
        case "fail":
            try check(["version", "kind", "detail"], ["isPermanent"])
            guard let kind = object["kind"]?.string, Self.kinds.contains(kind),
                let detail = object["detail"]?.string, isText(detail, 1000),
                object["isPermanent"] == nil || object["isPermanent"]?.bool != nil
            else { throw Wrong() }
            let isPermanent = object["isPermanent"]?.bool == true
            steps.append(.fail(kind: kind, isPermanent: isPermanent))
            isOver = true
        default: throw Wrong()
        }
    }

    private mutating func takeResponse(_ object: JSONValue) throws {
        guard !hasResponse, let status = object["statusCode"]?.integer, 200...599 ~= status else {
            throw Wrong()
        }
        hasResponse = true
        let length = object["expectedContentLength"]
        if let length, !length.isNull {
            guard let number = length.integer, number >= 0 else { throw Wrong() }
            rest = number
        }
        steps.append(
            .response(status: Int(status), fields: try fields(of: object), length: rest)
        )
    }

    private mutating func takeData(_ object: JSONValue) throws {
        guard hasResponse, let length = object["length"]?.integer, 1...(1 << 20) ~= length else {
            throw Wrong()
        }
        if let left = rest {
            guard length <= left else { throw Wrong() }
            rest = left - length
        }
        let piece = Array(bytes[index...].prefix(Int(length)))
        index += piece.count
        isInside = piece.count < length
        guard !piece.isEmpty else { return }
        if case .data(let earlier)? = steps.last {
            steps[steps.count - 1] = .data(earlier + piece)
        } else {
            steps.append(.data(piece))
        }
    }

    private func isText(_ text: String, _ most: Int) -> Bool {
        let bytes = Array(text.utf8)
        return !bytes.isEmpty && bytes.count <= most && !bytes.contains { $0 < 32 || $0 == 127 }
    }

    private func fields(of object: JSONValue) throws -> [String] {
        guard let list = object["headers"] else { return [] }
        guard case .array(let elements) = list, elements.count <= 128 else { throw Wrong() }
        let symbols = Array("!#$%&'*+-.^_`|~".utf8)
        return try elements.map { element in
            guard element.members.count == 2, let name = element["name"]?.string,
                let value = element["value"]?.string, !name.isEmpty,
                !value.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 })
            else { throw Wrong() }
            for byte in name.utf8 {
                let isAlphanumeric = 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte
                guard isAlphanumeric || symbols.contains(byte) else { throw Wrong() }
            }
            return "\(name): \(value)"
        }
    }
}
