internal import SystemKit
internal import TransferModel

/// The name that a server gives a download, made safe: a plain, visible and unambiguous name in one
/// folder.
enum ServerFileName {
    /// The name when the response and its URL have no usable one.
    static let fallback = "download"
    /// NAME_MAX of Linux's file systems, bytes.
    private static let longest = 255
    /// The longest file extension to keep after the last dot, bytes.
    private static let longestExtension = 32

    /// Taken from `Content-Disposition`, otherwise the last segment of the path, otherwise
    /// `fallback`.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - url: The URL of the response, after redirects.
    ///   - mayName: Whether a text may become a name; otherwise the next choice is used.
    /// - Returns: A safe name.
    static func choose(
        _ head: ResponseHead,
        url: TransferURL,
        mayName: (String) -> Bool = { _ in true }
    ) -> String {
        let field = head.fields.firstValue(of: "content-disposition")
        let suggested = field.flatMap { ContentDisposition($0).filename }
        for choice in [suggested, lastSegment(of: url)] {
            // Check both the original text and the safe name: cutting or replacing must not hide a
            // forbidden text, or reveal one.
            if let choice, mayName(choice), let name = safe(choice), mayName(name) { return name }
        }
        return fallback
    }

    /// The last segment of a URL's path, decoded; invalid UTF-8 becomes U+FFFD.
    static func lastSegment(of url: TransferURL) -> String {
        let path = path(of: url)
        return path.cut(atLast: "/").map { String($0.behind) } ?? path
    }

    /// A URL's decoded path.
    static func path(of url: TransferURL) -> String {
        String(decoding: PercentCoding.decodeLeniently(url.path.utf8), as: UTF8.self)
    }

    /// The last component of a name, made safe for a file; nil if nothing remains.
    ///
    /// Invisible characters are removed, except in emoji; control and bidirectional characters
    /// become `_`. Leading dots, hyphens and blanks are removed, as are final dots and blanks. The
    /// result has at most 255 bytes and keeps the extension.
    static func safe(_ name: String) -> String? {
        let scalars = name.unicodeScalars[...]
        let start = scalars.lastIndex { $0 == "/" || $0 == "\\" }
        let whole = start.map { scalars[scalars.index(after: $0)...] } ?? scalars
        var component = seen(whole)[...]
        component = component.drop { ".-".unicodeScalars.contains($0) || isBlank($0) }
        while let last = component.last, last == "." || isBlank(last) { component.removeLast() }
        var text = ""
        for scalar in component { text.unicodeScalars.append(isVisible(scalar) ? scalar : "_") }
        return text.isEmpty ? nil : cut(text)
    }

    /// The name without invisible characters (Unicode's Default_Ignorable_Code_Point, and format
    /// characters).
    private static func seen(_ name: Substring.UnicodeScalarView) -> String.UnicodeScalarView {
        var kept = String.UnicodeScalarView()
        for scalar in name {
            let properties = scalar.properties
            let isHidden =
                !properties.isBidiControl
                && (properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format)
            if isHidden, !(joins(scalar) && kept.last.map(isPictograph) == true) { continue }
            kept.append(scalar)
        }
        return kept
    }

    /// ZERO WIDTH JOINER and VARIATION SELECTOR-16, which are parts of emoji (UTS #51).
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200D}" || scalar == "\u{FE0F}"
    }

    private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FE0F}" || (scalar.properties.isEmoji && !scalar.isASCII)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isBidiControl || scalar == "\u{FFFD}" { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// At most 255 bytes, cut between characters.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        var ending: Substring = ""
        if let dot = name.lastByteIndex(of: "."), name[dot...].utf8.count <= longestExtension {
            ending = name[dot...]
        }
        let room = longest - ending.utf8.count
        let stem = name.dropLast(ending.count)
        let kept = prefix(of: stem, room) { String($0) }
        if !kept.isEmpty { return kept + ending }
        // Characters may have any number of scalars: cut within one that is too long.
        return prefix(of: stem.unicodeScalars, room) { String($0) } + ending
    }

    /// The first elements that fit into that many bytes.
    private static func prefix<Elements: Sequence>(
        of elements: Elements,
        _ room: Int,
        _ text: (Elements.Element) -> String
    ) -> String {
        var kept = ""
        for element in elements {
            let next = text(element)
            guard kept.utf8.count + next.utf8.count <= room else { break }
            kept += next
        }
        return kept
    }
}
