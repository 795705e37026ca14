internal import Diagnostics
internal import JobFile
internal import SystemKit

/// The key of a mapping whose value an author writes alone.
struct Shorthand: Sendable {
    /// The key for a scalar of that text, if there is one.
    let ofScalar: @Sendable (String) -> String?
    /// The key for a list.
    let ofList: String?
    /// Advice for any other value, made on first use.
    let advice: @Sendable () -> String?

    init(
        ofScalar: @escaping @Sendable (String) -> String? = { _ in nil },
        ofList: String? = nil,
        advice: @autoclosure @escaping @Sendable () -> String? = nil
    ) {
        (self.ofScalar, self.ofList, self.advice) = (ofScalar, ofList, advice)
    }
}

/// Guesses the meaning of a wrong key or value.
struct Hints {
    /// The most names that one unknown name is compared with.
    static let comparedNames = 1000
    /// Comparisons of names that are still allowed: each costs an edit distance.
    private var comparisonsLeft = mostComparisons
    private static let mostComparisons = 50_000

    /// The known name that was probably meant; nil also when so many were looked for that another
    /// search would take too long.
    mutating func nearest<Names: Collection<String>>(
        _ name: String,
        among names: @autoclosure () -> Names
    ) -> String? {
        guard comparisonsLeft > 0 else { return nil }
        let names = names()
        comparisonsLeft -= names.count
        return NearestName.find(name, among: names.prefix(Self.comparedNames))
    }

    /// The truth value that a text most likely means.
    static func likelyBoolean(_ text: String) -> String? {
        switch text.lowercased() {
        case "true", "yes", "on": "true"
        case "false", "no", "off": "false"
        default: nil
        }
    }

    /// The number that a text most likely means: quotes, needless zeros and `_` between digits
    /// away.
    static func likelyNumber(_ text: String) -> String? {
        var digits = text.filter { $0 != "_" }[...]
        let sign = digits.first == "-" ? "-" : ""
        if digits.first == "-" || digits.first == "+" { digits = digits.dropFirst() }
        while digits.utf8.count > 1, digits.first == "0",
            let next = digits.utf8.dropFirst().first, next.isDigit
        {
            digits = digits.dropFirst()
        }
        let number = sign + digits
        return switch Scalar(plain: number) {
        case .integer, .float: number
        default: nil
        }
    }

    /// The name that a text most likely means.
    ///
    /// A number that is not offered is no misspelling of another; `yes` is one of `true`.
    static func likelyChoice(_ text: String, among names: [String]) -> String? {
        if let boolean = likelyBoolean(text), names.contains(boolean) { return boolean }
        return Double(text) == nil ? NearestName.find(text, among: names) : nil
    }

    /// The mapping that an author probably meant by one of its values alone.
    static func likelyMapping(
        _ shorthand: Shorthand,
        _ node: NodeID,
        in document: Document
    ) -> String? {
        if document.kind(of: node) == .sequence {
            return shorthand.ofList.map { "{ \($0): […] }" }
        }
        guard let text = shortText(of: node, in: document) else { return nil }
        return shorthand.ofScalar(text).map { "{ \($0): \(text) }" }
    }

    /// The text of a scalar that a hint may repeat in brackets or braces, in quotes where the job
    /// file has some; nil for null and any other value.
    static func shortText(of node: NodeID, in document: Document) -> String? {
        guard document.kind(of: node) == .scalar, document.scalar(of: node) != .null else {
            return nil
        }
        let text = document.text(of: node)
        guard text.utf8.count <= 80 else { return nil }
        guard document.isPlain(node) else {
            let isSimple =
                !text.utf8.span.hasControlByte && !text.utf8.contains { "\"\\".utf8.contains($0) }
            return isSimple ? "\"\(text)\"" : nil
        }
        let isOneWord = !text.contains { ",[]{}:#".contains($0) }
        return isOneWord || document.hasInterpolation(node) ? text : nil
    }

    /// Says why there may be another value where a mapping of a table belongs.
    ///
    /// - Parameters:
    ///   - keys: The keys of the mapping.
    ///   - value: The value in the place of the mapping.
    ///   - key: The key of the value.
    ///   - document: The job file.
    /// - Returns: The advice; nil without a clue.
    static func indentation(
        _ keys: KeyTable,
        _ value: NodeID,
        _ key: NodeID,
        in document: Document
    ) -> String? {
        guard document.kind(of: value) == .scalar else { return nil }
        let name = document.text(of: key)
        if document.scalar(of: value) == .null {
            return "indent the content of `\(name.excerpt)` further than its key"
        }
        // A key of a task in the column of the task's id becomes a separate task.
        if keys.names.contains(name) {
            return "indent `\(name)` further than the key that it belongs to"
        }
        let text = document.text(of: value)
        guard document.isPlain(value), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let first = String(text[..<colon])
        return keys.names.contains(first) ? "a space is missing after `\(first):`" : nil
    }

    /// A hint for a section without a mapping below it.
    static func section(_ name: String) -> String {
        "indent the content of `\(name)` further than its key"
    }
}
