internal import Glibc

/// A file that only names another one.
package enum SymbolicLink {
    /// The target of the symbolic link at `path` as written; nil without a link or beyond the
    /// longest path.
    package static func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe path.withSystemText {
            unsafe readlink($0, &buffer, Int(PATH_MAX))
        }
        guard count >= 0, count < buffer.count else { return nil }
        buffer[count] = 0
        return unsafe String(systemText: buffer)
    }
}
