internal import Glibc

/// The names in a folder, read one after another in no order.
@safe struct FolderStream: ~Copyable {
    private let stream: OpaquePointer

    /// Opens the folder at a path; nil with the `errno` of opendir(3).
    init?(path: String) {
        guard let stream = unsafe path.withSystemText({ unsafe opendir($0) }) else { return nil }
        unsafe self.stream = stream
    }

    /// Reads an open folder from its beginning, without closing it; nil with `errno`.
    init?(of folder: Int32) {
        // closedir(3) closes the descriptor that it got.
        let own = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        guard let stream = unsafe fdopendir(own) else {
            close(own)
            return nil
        }
        // Both descriptors share their position, and an earlier reader may have moved it.
        unsafe rewinddir(stream)
        unsafe self.stream = stream
    }

    deinit { unsafe closedir(stream) }

    /// The folder's descriptor, valid as long as the stream.
    var descriptor: Int32 { unsafe dirfd(stream) }

    /// The next name but `.` and `..`, with the type from readdir(3); nil at the end, where `errno`
    /// is 0, and for an error.
    func next() -> (name: String, type: Int)? {
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { return nil }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(
                    systemText: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
                )
            }
            if name != ".", name != ".." { return unsafe (name, Int(entry.pointee.d_type)) }
        }
    }
}
