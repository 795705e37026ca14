/// The expected digest of a file.
package struct Checksum: Sendable, Hashable {
    /// The collision-resistant digests, by their names in the job file.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case sha256
        case sha512

        /// The digest's size, bytes.
        package var size: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The name in FIPS 180-4, for messages.
        package var title: String {
            switch self {
            case .sha256: "SHA-256"
            case .sha512: "SHA-512"
            }
        }
    }

    /// The function that computes the digest.
    package var algorithm: Algorithm
    /// The digest; `algorithm.size` bytes.
    package var digest: [UInt8]

    /// Creates an expected checksum; `digest` has `algorithm.size` bytes.
    package init(_ algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }
}

/// A list of checksums on the network, in the format of `sha256sum`.
package struct SumsFile: Sendable, Hashable {
    /// The URL of the list.
    package var url: TransferURL
    /// The function by which every digest in the list was computed.
    package var algorithm: Checksum.Algorithm
    /// The only name to look up in the list; nil for the download's own names.
    package var name: String?

    /// Creates a reference to a list; without `name` the download's own names are looked up.
    package init(url: TransferURL, algorithm: Checksum.Algorithm, name: String? = nil) {
        self.url = url
        self.algorithm = algorithm
        self.name = name
    }
}
