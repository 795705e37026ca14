internal import SystemKit
internal import TransferModel

/// The lines of a session's `knownHosts` for its servers of SSH, as long as the file is the same.
///
/// A line with a hashed name takes two digests, and each attempt asks.
struct KnownHostsReadings {
    /// The lines of the file for one server.
    final class Reading {
        let hosts: KnownHosts
        /// The lines of it for libcurl.
        let lines: MemoryFile
        /// nil for a file whose changes show in no property.
        fileprivate let file: InputFile.Identity?

        fileprivate init(_ hosts: KnownHosts, _ file: InputFile.Identity?) throws(SystemError) {
            self.hosts = hosts
            self.file = file
            lines = try MemoryFile(Array(hosts.plainLines.utf8))
        }
    }

    /// Each reading keeps a file open.
    private static let mostServers = 16
    private var readings: [Origin: Reading] = [:]

    /// The lines for a server in the file at a path, which is the same in each call.
    ///
    /// - Throws: The error of open(2) or pread(2); `EFBIG` for a file beyond
    ///   `KnownHosts.largestSize`.
    mutating func reading(
        of path: String,
        for server: Origin
    ) throws(SystemError) -> Reading {
        let file = try InputFile(path: path)
        if let reading = readings[server], reading.file == file.identity { return reading }
        let text = try file.readPrefix(limit: KnownHosts.largestSize + 1)
        guard text.count <= KnownHosts.largestSize else {
            throw SystemError(errno: 27, operation: "read", subject: path)
        }
        let isBracketed = server.host.utf8.first == UInt8(ascii: "[")
        let hosts = KnownHosts(
            text,
            host: isBracketed ? String(server.host.dropFirst().dropLast()) : server.host,
            port: server.port
        )
        let isStable = file.unsizedContent == nil && file.isUnchanged
        let reading = try Reading(hosts, isStable ? file.identity : nil)
        if readings.count >= Self.mostServers { readings = [:] }
        readings[server] = reading
        return reading
    }
}
