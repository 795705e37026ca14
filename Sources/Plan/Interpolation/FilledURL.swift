internal import JobFile
internal import SystemKit
internal import TransferModel

/// A URL that grows piece by piece; a filled-in value stays in the part of the URL that has its
/// expression.
///
/// Text of the job file keeps its meaning. So does a value at the very front: it is a URL, or the
/// beginning of one. After that, the treatment of a value depends on the part (RFC 3986 §3) and on
/// its source:
///
/// | part | the job's own value | a captured one, which a peer chose |
/// | --- | --- | --- |
/// | front | as it is | as it is, when it is the whole URL |
/// | scheme | without `:` and delimiters | refused |
/// | host | no delimiters; may have a port | one label, not the last: letters, digits, hyphens |
/// | port | without delimiters | refused |
/// | path | several segments, none of them `..` | one segment, not empty, `.` or `..` |
/// | name in the query | encoded, without `=` and `&` | encoded, without `=` and `&` |
/// | value in the query, fragment | encoded | encoded |
/// | content of a `data` URL | encoded, with its delimiters | the same |
///
/// A value with `raw:` is filled in as it is; a captured one only where it cannot change the origin
/// before it.
struct FilledURL {
    /// The part of the URL that the next text continues.
    private enum Part {
        case scheme
        /// After the colon of the scheme, then after one slash.
        case colon, slash
        /// A name, or the text after the bracket of an address; user information is read as one of
        /// these first.
        case host
        /// Between brackets.
        case address
        case port
        case path
        case queryName, queryValue
        case fragment
        /// After `data:`.
        case content
    }

    /// Why a value does not fit, and which.
    struct Misfit: Error {
        var fault: ValueFault
        var expression: Expression

        init(_ expression: Expression, _ message: String, help: String? = nil) {
            fault = ValueFault(.leavesURLPart, message, help: help)
            self.expression = expression
        }
    }

    /// An expression that fills a path segment, or a part of it.
    private struct Fill {
        var expression: Expression
        var isOfPeer: Bool
    }

    /// The URL so far.
    private(set) var value = ScalarValue(text: "", type: .string, isFilledIn: false)
    private var part = Part.scheme
    /// Where the path's last segment begins, an offset in UTF-8.
    private var segmentStart = 0
    /// The last value in that segment, unless it is a raw one.
    private var segmentFill: Fill?
    /// A captured label that no other label has followed yet.
    private var openLabel: Expression?
    /// The captured value with which the URL begins.
    private var front: Expression?

    /// The URL of all pieces.
    static func fill(_ pieces: [FilledPiece]) throws(Misfit) -> ScalarValue {
        var url = FilledURL()
        for piece in pieces { try url.append(piece, isOnly: pieces.count == 1) }
        try url.end()
        return url.value
    }

    /// Adds a piece; `isOnly` is whether there is no other.
    mutating func append(_ piece: FilledPiece, isOnly: Bool = false) throws(Misfit) {
        guard let expression = piece.expression else { return try add(piece.value, nil) }
        var filled = piece.value
        if value.text.isEmpty {
            guard !filled.isOfPeer || isOnly || expression.isRaw else {
                throw Misfit(
                    expression,
                    "a captured value may be a whole URL, but not its beginning",
                    help: Self.rawHelp(expression)
                )
            }
            if filled.isOfPeer { front = expression }
            return try add(filled, nil)
        }
        if expression.isRaw {
            try checkRaw(filled, expression)
            return try add(filled, nil)
        }
        if !filled.text.isEmpty { try checkEscape(expression) }
        filled.text = try fitted(filled, expression)
        filled.firstSecret = 0
        try add(filled, Fill(expression: expression, isOfPeer: filled.isOfPeer))
    }

    /// Adds text whose value is not known here: the expression itself, for people to read.
    mutating func append(unknown text: String) {
        let isFront = value.text.isEmpty
        value.text += text
        if isFront {
            // Most often an origin, perhaps with a folder.
            part = .path
            segmentStart = value.text.utf8.count
        }
    }

    /// Does the checks that need the end of the URL.
    mutating func end() throws(Misfit) {
        if part == .path { try closeSegment(at: value.text.utf8.count, of: value.text.utf8.span) }
        try closeHost()
        guard let front,
            DataURL.isMeant(by: value.text) || FileURL.isMeant(by: value.text)
                || CustomURL.scheme(of: value.text).map(CustomURL.reservedSchemes.contains) == false
                || TransferURL.isOfFileServer(value.text)
        else { return }
        throw Misfit(front, "a captured value may only begin an http or https URL")
    }

    private static func rawHelp(_ expression: Expression) -> String {
        "write `${raw:\(Substring(expression.written.utf8.dropFirst(2)))` to fill it in as it is"
    }

    // MARK: The text of a value

    /// The text of a value as this part allows it.
    private func fitted(_ filled: ScalarValue, _ expression: Expression) throws(Misfit) -> String {
        let isOfPeer = filled.isOfPeer
        switch part {
        case .scheme, .colon, .slash, .host, .address, .port:
            if isOfPeer { return try label(filled.text, expression) }
            // After a whole host a path begins: `${var.api}${item.path}`.
            if filled.text.utf8.first == UInt8(ascii: "/"), isBehindHost {
                return Self.encoded(filled.text, \.isPathByte)
            }
            try checkAuthority(filled.text, expression)
            return filled.text
        case .path:
            return Self.encoded(filled.text, isOfPeer ? \.isUnreserved : \.isPathByte)
        case .queryName:
            try checkName(filled.text, expression)
            return Self.encoded(filled.text, isOfPeer ? \.isUnreserved : Self.isQueryByte)
        case .queryValue, .fragment:
            return Self.encoded(filled.text, isOfPeer ? \.isUnreserved : Self.isQueryByte)
        case .content:
            return PercentCoding.encode(filled.text, keeping: \.isUnreserved)
        }
    }

    /// Whether the URL already has a host, which a slash ends.
    private var isBehindHost: Bool {
        guard part == .host || part == .port else { return false }
        // The path follows at once: `file://${var.folder}/name`.
        if part == .host, value.text.lowercased() == "file://" { return true }
        let last = value.text.utf8.last
        return last != UInt8(ascii: "/") && last != UInt8(ascii: "@")
            && last != UInt8(ascii: ":")
    }

    /// Refuses text that ends the part of a value before the path.
    private func checkAuthority(_ text: String, _ expression: Expression) throws(Misfit) {
        let isInScheme = part == .scheme || part == .colon || part == .slash
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
                UInt8(ascii: "\\"):
                break
            case UInt8(ascii: ":") where isInScheme:
                break
            default:
                continue
            }
            throw Misfit(
                expression,
                "`\(Character(Unicode.Scalar(byte)))` is not allowed in the \(partName) of a URL",
                help: Self.rawHelp(expression)
            )
        }
    }

    /// The text of a captured value that is a label of a host, or some of one.
    private func label(_ text: String, _ expression: Expression) throws(Misfit) -> String {
        guard part == .host else {
            throw Misfit(expression, "a captured value is not allowed in the \(partName) of a URL")
        }
        guard !text.isEmpty, text.utf8.allSatisfy(\.isLabelByte) else {
            throw Misfit(
                expression,
                "a captured value in the host of a URL may only have letters, digits and hyphens"
            )
        }
        return text
    }

    /// Refuses a value with `=` or `&`, which would end the name: the author probably meant a whole
    /// query.
    private func checkName(_ text: String, _ expression: Expression) throws(Misfit) {
        for byte in text.utf8 where byte == UInt8(ascii: "=") || byte == UInt8(ascii: "&") {
            throw Misfit(
                expression,
                "`\(Character(Unicode.Scalar(byte)))` is not allowed in a name in the query of a "
                    + "URL",
                help: Self.rawHelp(expression)
            )
        }
    }

    /// Refuses a raw captured value that could change the origin before it.
    private func checkRaw(_ filled: ScalarValue, _ expression: Expression) throws(Misfit) {
        guard filled.isOfPeer, isBeforePath else { return }
        switch filled.text.utf8.first {
        case UInt8(ascii: "/") where isBehindHost, UInt8(ascii: "?") where isBehindHost,
            UInt8(ascii: "#") where isBehindHost:
            return
        default:
            // For a value that is not known yet, the place alone is checked.
            if filled.isKnownLater, isBehindHost { return }
            throw Misfit(
                expression,
                "a raw captured value may not continue the \(partName) of a URL: it must begin "
                    + "with `/` or `?`"
            )
        }
    }

    /// Refuses a value right after `%` or `%4`, which would become an escape.
    private func checkEscape(_ expression: Expression) throws(Misfit) {
        let tail = value.text.utf8.suffix(2)
        let percent = UInt8(ascii: "%")
        guard
            tail.last == percent
                || tail.first == percent && tail.last?.hexadecimalValue != nil
        else { return }
        throw Misfit(
            expression,
            "a value may not continue a percent escape that begins before it in a URL"
        )
    }

    private var isBeforePath: Bool {
        switch part {
        case .scheme, .colon, .slash, .host, .address, .port: true
        case .path, .queryName, .queryValue, .fragment, .content: false
        }
    }

    /// For messages.
    private var partName: String {
        switch part {
        case .scheme, .colon, .slash: "scheme"
        case .host, .address: "host"
        case .port: "port"
        case .path: "path"
        case .queryName, .queryValue: "query"
        case .fragment: "fragment"
        case .content: "content"
        }
    }

    // MARK: The part after a text

    /// Adds text, and finds by its bytes the part of the URL that follows.
    private mutating func add(_ piece: ScalarValue, _ fill: Fill?) throws(Misfit) {
        let start = value.text.utf8.count
        value.append(piece)
        if let fill {
            if part == .path, fill.isOfPeer || !piece.text.isEmpty {
                let isOfPeer = fill.isOfPeer || segmentFill?.isOfPeer == true
                segmentFill = Fill(expression: fill.expression, isOfPeer: isOfPeer)
            }
        }
        let text = value.text
        let bytes = text.utf8.span
        let isLabelOpen = openLabel != nil
        for index in start..<bytes.count where isLabelOpen || !Self.isPlain(bytes[index]) {
            try advance(over: bytes[index], at: index, of: bytes, fill)
        }
        if part == .host, let fill, fill.isOfPeer { openLabel = fill.expression }
    }

    /// Whether a byte never changes the part, at any position.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        // From `-` to `9`, but for the slash.
        return letter < 26 || byte &- UInt8(ascii: "-") < 13 && byte != UInt8(ascii: "/")
    }

    private mutating func advance(
        over byte: UInt8,
        at index: Int,
        of bytes: Span<UInt8>,
        _ fill: Fill?
    ) throws(Misfit) {
        switch (part, byte) {
        case (.scheme, UInt8(ascii: ":")):
            part = DataURL.isMeant(by: value.text) ? .content : .colon
        case (.colon, UInt8(ascii: "/")): part = .slash
        case (.slash, UInt8(ascii: "/")): part = .host
        case (.scheme, _), (.colon, _), (.slash, _): break
        case (.host, UInt8(ascii: "/")), (.address, UInt8(ascii: "/")), (.port, UInt8(ascii: "/")):
            try closeHost()
            part = .path
            segmentStart = index + 1
            segmentFill = fill
        case (.path, UInt8(ascii: "/")):
            try closeSegment(at: index, of: bytes)
            segmentStart = index + 1
            segmentFill = fill
        case (.fragment, _), (.content, _): break
        case (_, UInt8(ascii: "#")):
            try close(at: index, of: bytes)
            part = .fragment
        case (.host, UInt8(ascii: "?")), (.address, UInt8(ascii: "?")), (.port, UInt8(ascii: "?")),
            (.path, UInt8(ascii: "?")):
            try close(at: index, of: bytes)
            part = .queryName
        case (.host, UInt8(ascii: "[")): part = .address
        case (.address, UInt8(ascii: "]")): part = .host
        case (.host, UInt8(ascii: ":")):
            try closeHost()
            part = .port
        case (.port, UInt8(ascii: "@")): part = .host
        case (.host, let next) where next != UInt8(ascii: "."):
            if index > 0, bytes[index - 1] == UInt8(ascii: ".") { openLabel = nil }
        case (.queryName, UInt8(ascii: "=")): part = .queryValue
        case (.queryValue, UInt8(ascii: "&")): part = .queryName
        default: break
        }
    }

    private mutating func close(at end: Int, of bytes: Span<UInt8>) throws(Misfit) {
        if part == .path { try closeSegment(at: end, of: bytes) } else { try closeHost() }
    }

    /// Refuses a host that ends in a captured label: a peer would choose the owner of the host.
    private mutating func closeHost() throws(Misfit) {
        guard let openLabel else { return }
        throw Misfit(
            openLabel,
            "a captured value may be a label of a host, but not the last one",
            help: "write out the text after it, such as `.example.com`"
        )
    }

    /// Refuses a segment to which a value has given another meaning, such as `..`.
    private func closeSegment(at end: Int, of bytes: Span<UInt8>) throws(Misfit) {
        guard let fill = segmentFill else { return }
        let segment = bytes.extracting(segmentStart..<end)
        let dots = TransferURL.dotCount(segment)
        if dots == 2 {
            throw Misfit(
                fill.expression,
                "a value may not turn a path segment of a URL into `..`, which leads to the parent",
                help: fill.isOfPeer ? nil : Self.rawHelp(fill.expression)
            )
        }
        guard fill.isOfPeer, dots == 1 || segment.isEmpty else { return }
        throw Misfit(
            fill.expression,
            "a captured value that is \(dots == 1 ? "`.`" : "empty") is not a valid path segment "
                + "of a URL"
        )
    }

    // MARK: Encoding

    /// The text with each byte that `isPlain` does not name escaped.
    ///
    /// Control characters stay, which no URL may have: they are refused with it.
    private static func encoded(_ text: String, _ isPlain: (UInt8) -> Bool) -> String {
        PercentCoding.encode(text) { isPlain($0) || $0 < 0x20 || $0 == 0x7F }
    }

    /// Whether a byte ends neither a name nor a value, and is not a blank in forms like `+`.
    private static func isQueryByte(_ byte: UInt8) -> Bool {
        byte.isPathByte && !"&;=+".utf8.contains(byte)
    }
}

extension UInt8 {
    /// A letter, a digit or a hyphen (RFC 1123 §2.1).
    fileprivate var isLabelByte: Bool {
        isAlphanumeric || self == UInt8(ascii: "-")
    }
}

/// A piece of a scalar, and the expression that it came out of.
struct FilledPiece {
    var value: ScalarValue
    /// Nil for text of the job file.
    var expression: Expression?

    var isFilledIn: Bool { expression != nil }

    /// Whether the piece is a null value of the row that has no fallback.
    var isNullItem: Bool {
        expression?.namespace == .item && expression?.rule == .required && value.type == .null
    }
}
