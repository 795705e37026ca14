import Glibc

struct Unreadable: Error {
    var path: String
}

/// The text of a whole file.
func fileText(_ path: String) throws -> String {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Unreadable(path: path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe part.withUnsafeMutableBytes {
            unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { break }
        bytes += part[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}
