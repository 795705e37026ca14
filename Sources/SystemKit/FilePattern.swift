internal import Glibc

/// File names with wildcards, for arguments that no shell has expanded.
package enum FilePattern {
    /// The files that a pattern stands for, sorted by their bytes (glob(3): `*`, `?`, `[…]`, no
    /// hidden ones for `*`).
    ///
    /// A text without wildcards, or one that is the name of a file as it stands, stands for itself,
    /// whether there is such a file or not.
    ///
    /// - Returns: No name when nothing matches.
    /// - Throws: `ENOMEM` when there are too many.
    package static func expand(_ pattern: String) throws(SystemError) -> [String] {
        guard pattern.utf8.contains(where: isWildcard), PathOccupant(at: pattern) == .nothing else {
            return [pattern]
        }
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        switch unsafe pattern.withSystemText({ unsafe glob($0, 0, nil, &found) }) {
        case 0:
            return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
                unsafe found.gl_pathv[index].map { unsafe String(systemText: $0) }
            }
        case GLOB_NOMATCH:
            return []
        default:
            throw SystemError(errno: ENOMEM, operation: "find a file for", subject: pattern)
        }
    }

    private static func isWildcard(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
    }
}
