internal import SystemKit
internal import TransferModel

/// The lines for one server in a file in the form of OpenSSH's `known_hosts` (sshd(8)).
///
/// libssh2 reads neither markers nor patterns, and libcurl asks a server for a kind of key that it
/// finds under a plain name: it gets plain lines for this server alone.
package struct KnownHosts {
    /// A key of a server.
    private struct Key: Hashable {
        /// Such as `ssh-ed25519`.
        var kind: String
        var bytes: [UInt8]

        /// The kinds that libcurl asks servers for, the best first.
        static let usable = [
            "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
            "ssh-rsa", "ssh-dss",
        ]
    }

    /// The content of the lines for one name of the server.
    private struct Entry {
        var keys: [Key] = []
        var revoked: Set<Key> = []
        var hasAuthority = false

        mutating func add(_ line: Line) {
            switch line.marker {
            case .authority: hasAuthority = true
            case .revoked: revoked.insert(line.key)
            case nil: keys.append(line.key)
            }
        }
    }

    /// The most bytes of a file: a part of a file could lack a revocation.
    package static let largestSize = 16 << 20

    /// The name under which libcurl looks.
    private let name: String
    private let keys: [Key]
    /// Whether lines for the server revoke keys.
    package let revokes: Bool
    /// Whether only the certificates of an authority are known of the server (`@cert-authority`),
    /// which libssh2 cannot check.
    package let needsCertificate: Bool

    /// Reads a file; skips lines that OpenSSH does not understand, as OpenSSH does.
    ///
    /// - Parameters:
    ///   - text: The file.
    ///   - host: The server's host, in lower case; an IPv6 address without brackets.
    ///   - port: The server's port.
    package init(_ text: [UInt8], host: String, port: Int) {
        name = port == 22 ? host : "[\(host)]:\(port)"
        var own = Entry()
        // OpenSSH looks here for kinds of keys that the lines of the port lack.
        var general = Entry()
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard let line = Line(line) else { continue }
            if line.names.match(name) { own.add(line) }
            if port != 22, line.names.match(host) { general.add(line) }
        }
        let kinds = Set(own.keys.map(\.kind))
        let all = own.keys + general.keys.filter { !kinds.contains($0.kind) }
        // A key that is revoked without a port is refused at every port.
        let revoked = own.revoked.union(general.revoked)
        // libcurl asks for the kind of the first line.
        keys = Key.usable.flatMap { kind in
            all.filter { $0.kind == kind && !revoked.contains($0) }
        }
        revokes = !revoked.isEmpty
        needsCertificate = keys.isEmpty && (own.hasAuthority || general.hasAuthority)
    }

    /// Whether the file has a key that the server may have.
    package var knowsServer: Bool { !keys.isEmpty }

    /// A file with a plain line for each key that the server may have.
    package var plainLines: String {
        keys.map { "\(name) \($0.kind) \(Base64.encode($0.bytes))\n" }.joined()
    }

    // MARK: - Lines

    private struct Line {
        enum Marker: String {
            case authority = "@cert-authority"
            case revoked = "@revoked"
        }

        var marker: Marker?
        var names: Names
        var key: Key

        /// nil for a comment, and for a line that is not understood.
        init?(_ bytes: ArraySlice<UInt8>) {
            var fields = bytes.split(whereSeparator: \.isBlank)[...]
            if fields.first?.first == UInt8(ascii: "@") {
                marker = Marker(rawValue: String(decoding: fields.removeFirst(), as: UTF8.self))
                guard marker != nil else { return nil }
            }
            guard fields.count >= 3, let first = fields.popFirst(),
                first.first != UInt8(ascii: "#"), let kind = fields.popFirst(),
                let encoded = fields.first, let key = Base64.decode(encoded)
            else { return nil }
            // The key repeats its kind (RFC 4253 §6.6).
            let start = [0, 0, 0, UInt8(truncatingIfNeeded: kind.count)] + kind
            guard kind.count < 256, key.starts(with: start) else { return nil }
            self.key = Key(kind: String(decoding: kind, as: UTF8.self), bytes: key)
            names = Names(Array(first))
        }
    }

    /// The first field of a line: patterns, or the hash of one name.
    private struct Names {
        var text: [UInt8]

        init(_ text: [UInt8]) { self.text = text }

        func match(_ name: String) -> Bool {
            let name = Array(name.utf8)
            if text.first == UInt8(ascii: "|") { return isHash(of: name) }
            var matches = false
            for pattern in text.split(separator: UInt8(ascii: ",")) {
                let isNegated = pattern.first == UInt8(ascii: "!")
                let pattern = pattern.dropFirst(isNegated ? 1 : 0).map(\.asciiLowercased)
                guard Self.match(pattern[...], name[...]) else { continue }
                if isNegated { return false }
                matches = true
            }
            return matches
        }

        /// `|1|`, a salt, `|` and the HMAC-SHA-1 of the name with that salt.
        private func isHash(of name: [UInt8]) -> Bool {
            let parts = text.split(separator: UInt8(ascii: "|"))
            guard parts.count == 3, parts[0].elementsEqual("1".utf8),
                let salt = Base64.decode(parts[1]), let hash = Base64.decode(parts[2])
            else { return false }
            return SHA1.hmac(name, key: salt) == hash
        }

        /// Matches a pattern with `*` and `?`, in time that grows with the product of the lengths.
        private static func match(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
            var (place, position) = (pattern.startIndex, name.startIndex)
            var (star, resumption): (Int?, Int) = (nil, position)
            while position < name.endIndex {
                if place < pattern.endIndex, pattern[place] == UInt8(ascii: "*") {
                    (star, resumption) = (place, position)
                    place += 1
                } else if place < pattern.endIndex,
                    pattern[place] == UInt8(ascii: "?") || pattern[place] == name[position]
                {
                    (place, position) = (place + 1, position + 1)
                } else if let last = star {
                    resumption += 1
                    (place, position) = (last + 1, resumption)
                } else {
                    return false
                }
            }
            return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
        }
    }
}

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
    mutating func reading(of path: String, for server: Origin) throws(SystemError) -> Reading {
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
