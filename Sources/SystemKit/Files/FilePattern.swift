internal import Glibc

/// File names with wildcards, for arguments that no shell has expanded.
package enum FilePattern {
    /// Expands a pattern to files, sorted by bytes (glob(3): `*`, `?`, `[…]`; `*` skips hidden
    /// files).
    ///
    /// A text without wildcards, or the exact name of a file, is returned as it is, whether the
    /// file exists or not.
    ///
    /// - Returns: No name when nothing matches.
    /// - Throws: `ENOMEM` for too many files.
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
