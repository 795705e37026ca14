internal import CSystem
internal import Glibc

/// The sign that this process uses a file or a folder under a temporary name; it ends with the
/// object or the process.
///
/// It is a lock of flock(2), which ends with its descriptor. On file systems without locks it is an
/// abstract socket with the file's number, which processes of the same machine see.
final class FileClaim: Sendable {
    /// -1 for a lock of flock(2).
    private let socket: Int32

    /// Claims an open file; nil while another descriptor has it (`EWOULDBLOCK`), and where nothing
    /// shows whether one has.
    init?(_ descriptor: Int32) {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            socket = -1
            return
        }
        // EBADF: NFS locks only a file that is open for writing.
        guard errno != EWOULDBLOCK, errno != EBADF else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        socket = unsafe csystem_name_socket("runner \(geteuid()) \(status.st_dev) \(status.st_ino)")
        guard socket >= 0 else {
            if errno == EADDRINUSE { errno = EWOULDBLOCK }
            return nil
        }
    }

    deinit {
        if socket >= 0 { close(socket) }
    }
}
