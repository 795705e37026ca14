import SystemKit

/// Files with secrets and logins, which must be private.
enum PrivateFile {
    /// Reads a file from its beginning.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - displayPath: The path for messages.
    ///   - operation: The rejected operation on a file that others may read, such as "take a secret
    ///     from".
    ///   - limit: The most bytes to read.
    /// - Returns: The bytes, at most `limit`.
    /// - Throws: The errors of open(2) and read(2); `EPERM` for a file that others own or may read.
    static func read(
        _ path: String,
        _ displayPath: String,
        to operation: String,
        limit: Int
    ) throws(SystemError) -> [UInt8] {
        let file = try InputFile(path: path)
        let reason: String? =
            switch file.exposure {
            case nil: nil
            case .foreignOwner?: "it belongs to another user"
            case .openMode?: "other users may read or change it; chmod 600"
            }
        if let reason { throw .notPermitted(operation, displayPath, reason: reason) }
        return try file.readPrefix(limit: limit)
    }
}
