/// Paths as texts: nothing here looks at a disk.
package enum AbsolutePath {
    /// `path` itself when it is absolute, else `path` in `folder`; without `.` components and
    /// doubled slashes.
    ///
    /// `..` stays: after a symbolic link it does not mean the parent in the text.
    package static func make(_ path: String, in folder: String) -> String {
        let slash = UInt8(ascii: "/")
        let isAbsolute = path.utf8.first == slash
        let hasSlash = folder.utf8.last == slash
        if isPlain(path) {
            return isAbsolute ? path : hasSlash ? folder + path : folder + "/" + path
        }
        var whole = isAbsolute ? "" : hasSlash ? String(folder.dropLast()) : folder
        for component in path.splitAtBytes("/") where component != "." {
            whole += "/"
            whole += component
        }
        return whole.isEmpty ? "/" : whole
    }

    /// The path without `..` components, as far as text can tell, and a slash at its end kept; for
    /// comparing.
    package static func withoutClimbs(_ path: String) -> String {
        guard hasDoubleDot(path) else { return path }
        var components: [Substring] = []
        for component in path.splitAtBytes("/") {
            if component == ".." {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        let isFolder = path.utf8.last == UInt8(ascii: "/") && !components.isEmpty
        return "/" + components.joined(separator: "/") + (isFolder ? "/" : "")
    }

    /// The text after the last slash.
    package static func lastComponent(of path: String) -> Substring {
        path.cut(atLast: "/")?.behind ?? path[...]
    }

    /// The folder of a file's path, with its slash.
    package static func folder(of path: String) -> String {
        "\(path.cut(atLast: "/")?.before ?? "")/"
    }

    /// NAME_MAX of Linux's file systems, bytes.
    package static let longestComponent = 255

    /// PATH_MAX of Linux without the zero at its end, bytes.
    package static let longest = 4095

    /// The first component that no file can have as its name, because it is too long.
    package static func componentTooLong(_ path: String) -> Substring? {
        guard path.utf8.count > longestComponent else { return nil }
        return path.splitAtBytes("/").first { $0.utf8.count > longestComponent }
    }

    private static func hasDoubleDot(_ path: String) -> Bool {
        var rest = path.utf8.span
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest.extracting(droppingFirst: dot + 1)
            if !rest.isEmpty, rest[0] == UInt8(ascii: ".") { return true }
        }
        return false
    }

    /// Whether a path has neither `//` nor a component that begins with a dot after a slash, nor
    /// one in front.
    private static func isPlain(_ path: String) -> Bool {
        let bytes = path.utf8.span
        guard bytes.count > 0, bytes[0] != UInt8(ascii: ".") else { return false }
        for index in bytes.indices.dropFirst() where bytes[index - 1] == UInt8(ascii: "/") {
            if bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: ".") {
                return false
            }
        }
        return true
    }
}
