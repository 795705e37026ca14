/// What a file's digest must be.
package struct Checksum: Sendable, Hashable {
    /// The digests that are collision-resistant, as the job file names them.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case sha256
        case sha512

        /// The bytes of a digest.
        package var size: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The name in FIPS 180-4, for people.
        package var title: String {
            switch self {
            case .sha256: "SHA-256"
            case .sha512: "SHA-512"
            }
        }
    }

    package var algorithm: Algorithm
    /// As many bytes as the algorithm makes.
    package var digest: [UInt8]

    package init(_ algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }
}

/// A list of checksums that stands somewhere on the network, as `sha256sum` writes it.
package struct SumsFile: Sendable, Hashable {
    package var url: HTTPURL
    package var algorithm: Checksum.Algorithm
    /// The only name that is looked up in it; nil looks up the download's own names.
    package var name: String?

    package init(url: HTTPURL, algorithm: Checksum.Algorithm, name: String? = nil) {
        self.url = url
        self.algorithm = algorithm
        self.name = name
    }
}
