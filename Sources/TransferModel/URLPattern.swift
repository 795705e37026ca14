internal import SystemKit

/// A set of URLs: an `OriginPattern`, and perhaps a path in which `*` matches any characters.
///
/// A path with `?` is also about the query; otherwise the query does not matter.
package struct URLPattern: Sendable, Hashable {
    private let origin: OriginPattern
    /// nil for every path.
    private let path: [UInt8]?

    /// The form of a pattern, for the schema.
    package static let form = "^\(OriginPattern.form)(/[^#]*)?$"

    /// Reads a pattern; nil for another text.
    package init?(_ text: String) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let start = OriginPattern.hostStart(of: text) ?? text.startIndex
        let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        guard let origin = OriginPattern(String(text[..<end])) else { return nil }
        self.origin = origin
        path = end == text.endIndex ? nil : Array(text.utf8[end...])
    }

    /// Whether a URL belongs to the set; compared are normalized paths.
    package func matches(_ url: HTTPURL) -> Bool {
        guard origin.matches(url.origin) else { return false }
        guard let path else { return true }
        let url = url.normalized
        let hasQuery = path.contains(UInt8(ascii: "?"))
        let target = hasQuery && !url.query.isEmpty ? "\(url.path)?\(url.query)" : url.path
        return Self.matches(path, Array(target.utf8))
    }

    /// Whether a text has the form of a pattern with wildcards, in at most as many steps as the
    /// product of their lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (next, position) = (0, 0)
        var star: (next: Int, position: Int)?
        while position < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next + 1, position)
                next += 1
            } else if next < pattern.count, pattern[next] == text[position] {
                next += 1
                position += 1
            } else if let last = star {
                star = (last.next, last.position + 1)
                (next, position) = (last.next, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
