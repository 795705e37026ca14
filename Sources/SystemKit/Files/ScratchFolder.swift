internal import Glibc

/// A private folder for temporary files, removed with its files at the end.
package final class ScratchFolder: Sendable {
    /// An absolute path.
    package let path: String
    /// The paths of all folders.
    private static let all = Lock<Set<String>>([])

    /// Creates the folder below `TMPDIR`, or `/tmp`.
    ///
    /// - Throws: The error of mkdtemp(3).
    package init() throws(SystemError) {
        let parent = ProcessContext.folder("TMPDIR") ?? "/tmp"
        var template = Array((parent + "/runner-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw .last("create a folder in", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        Self.all.withLock { _ = $0.insert(path) }
    }

    deinit { Self.remove(path) }

    /// Removes all folders of this process, which ends at once.
    package static func removeAll() { all.withLock(\.self).forEach(remove) }

    private static func remove(_ path: String) {
        all.withLock { _ = $0.remove(path) }
        // Only this process knows the folder, which has no folders in it.
        if let stream = FolderStream(path: path) {
            while let name = stream.next()?.name { unsafe unlink(path + "/" + name) }
        }
        unsafe rmdir(path)
    }
}
