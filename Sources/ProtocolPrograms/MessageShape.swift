internal import JSON
internal import SystemKit
internal import TransferModel

/// The members of one kind of message: the decoder and the schema are made of it.
struct MessageShape: Sendable {
    /// The value of `message`.
    let name: String
    /// One sentence for the schema.
    let summary: String
    let members: [MemberShape]

    /// The message that begins the conversation.
    static let request = MessageShape(
        name: "request",
        summary: "From the runner, first: the request to answer.",
        members: [
            .version,
            MemberShape("method", "The method in upper case, such as `GET`.", .text(256)),
            MemberShape("url", "The absolute URL, without its fragment.", .text(longestText)),
            MemberShape("headers", "The header fields of the job file.", .fields),
            MemberShape("body", "The body that follows; null for none.", .body),
        ]
    )
    /// The end of a request before its response is whole.
    static let cancel = MessageShape(
        name: "cancel",
        summary: "From the runner: the response is no longer wanted.",
        members: []
    )
    /// In both directions.
    static let data = MessageShape(
        name: "data",
        summary: "In both directions: as many bytes of the body follow the line feed of this "
            + "message.",
        members: [
            MemberShape(
                "length",
                "The number of bytes.",
                .integer(1...Int64(ConversationLimits.largestPiece))
            )
        ]
    )
    /// In both directions.
    static let finish = MessageShape(
        name: "finish",
        summary: "In both directions: the body is whole.",
        members: []
    )
    static let response = MessageShape(
        name: "response",
        summary: "From the program: the response, whose body follows.",
        members: [
            .version,
            MemberShape("statusCode", "The status of HTTP.", .integer(200...599)),
            .headers,
            MemberShape(
                "expectedContentLength",
                "The length of the body in bytes; null or absent if it is unknown.",
                .nullableCount,
                isRequired: false
            ),
        ]
    )
    static let redirect = MessageShape(
        name: "redirect",
        summary: "From the program, in place of a response: another URL has the content.",
        members: [
            .version,
            MemberShape("statusCode", "The status of HTTP.", .status([301, 302, 303, 307, 308])),
            MemberShape("url", "The absolute URL.", .text(longestText)),
            .headers,
        ]
    )
    static let fail = MessageShape(
        name: "fail",
        summary: "From the program, at any time: the request has failed.",
        members: [
            .version,
            MemberShape(
                "kind",
                "The kind of the failure, by which `retry` decides.",
                .choice(ProgramFailure.kinds.map(\.label))
            ),
            MemberShape("detail", "One sentence for people.", .text(1000)),
            MemberShape(
                "isPermanent",
                "Whether a retry cannot help; absent means false.",
                .boolean,
                isRequired: false
            ),
        ]
    )

    /// The messages that a program may send.
    static let ofProgram = [response, redirect, data, finish, fail]
    /// All messages, in the order of the schema.
    static let all = [request, response, redirect, data, finish, fail, cancel]

    private static let longestText = ConversationLimits.longestLine

    /// Why an object is not a message of this shape; nil if it is one.
    func fault(of members: [JSONValue.Member]) -> String? {
        for member in members where !member.name.hasSameBytes(as: "message") {
            guard let shape = self.members.first(where: { $0.name.hasSameBytes(as: member.name) })
            else {
                return "`\(name)` has no member `\(member.name.onOneLine(limit: 40).text)`"
            }
            guard shape.type.accepts(member.value) else {
                return "`\(shape.name)` of `\(name)` must be \(shape.type.words)"
            }
        }
        let missing = self.members.first { shape in
            shape.isRequired && !members.contains { $0.name.hasSameBytes(as: shape.name) }
        }
        return missing.map { "`\(name)` lacks the member `\($0.name)`" }
    }
}

/// A member of a message.
struct MemberShape: Sendable {
    let name: String
    let summary: String
    let type: MemberType
    let isRequired: Bool

    init(_ name: String, _ summary: String, _ type: MemberType, isRequired: Bool = true) {
        self.name = name
        self.summary = summary
        self.type = type
        self.isRequired = isRequired
    }

    fileprivate static let version = MemberShape(
        "version",
        "The version of the conversation.",
        .integer(ConversationLimits.version...ConversationLimits.version)
    )
    fileprivate static let headers = MemberShape(
        "headers",
        "The header fields; absent means none.",
        .fields,
        isRequired: false
    )
}

/// The type of a member.
enum MemberType: Sendable {
    case integer(ClosedRange<Int64>)
    /// One of these numbers.
    case status([Int])
    case nullableCount
    /// A text of this many bytes at most, without control characters.
    case text(Int)
    case choice([String])
    case boolean
    /// A list of objects with `name` and `value`.
    case fields
    /// Null, or an object with the `length` of a body, which may be null.
    case body

    func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .integer(let range): value.integer.map(range.contains) ?? false
        case .status(let numbers):
            value.integer.map { numbers.map(Int64.init).contains($0) } ?? false
        case .nullableCount: value.isNull || value.integer.map { $0 >= 0 } ?? false
        case .text(let limit): value.string.map { Self.isPlain($0, limit) } ?? false
        case .choice(let names): value.string.map { names.contains($0) } ?? false
        case .boolean: value.bool != nil
        case .fields: Self.fields(value) != nil
        case .body: value.isNull || value["length"].map { Self.nullableCount.accepts($0) } ?? false
        }
    }

    /// The requirement for a value, in words.
    var words: String {
        switch self {
        case .integer(let range) where range.count == 1: "\(range.lowerBound)"
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .status(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
        case .nullableCount: "an integer that is not negative, or null"
        case .text(let limit): "a text of 1 to \(limit) bytes without control characters"
        case .choice(let names): "one of " + names.joined(separator: ", ")
        case .boolean: "true or false"
        case .fields:
            "a list of at most \(ConversationLimits.mostFields) objects with the `name` and the "
                + "`value` of a header field"
        case .body: "null, or an object with `length`"
        }
    }

    private static func isPlain(_ text: String, _ limit: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= limit
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// The header fields of a list; nil for anything else.
    static func fields(_ value: JSONValue) -> [HeaderField]? {
        guard case .array(let elements) = value, elements.count <= ConversationLimits.mostFields
        else {
            return nil
        }
        var fields: [HeaderField] = []
        for element in elements {
            guard element.members.count == 2, let name = element["name"]?.string,
                let text = element["value"]?.string, name.utf8.span.isToken,
                text.utf8.allSatisfy(\.isFieldByte)
            else { return nil }
            fields.append(HeaderField(name: name, value: text))
        }
        return fields
    }
}
