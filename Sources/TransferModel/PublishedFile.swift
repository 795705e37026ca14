/// The published file of a response body.
package struct PublishedFile: Sendable, Hashable {
    /// The path as in the job file.
    package var path: String
    /// The file's length, bytes.
    package var size: Int64
    /// 64 hexadecimal digits; nil when no checksum was computed.
    package var sha256: String?
    /// The offset at which the last attempt resumed; nil for a whole file.
    package var resumedFrom: Int64?
    /// The folder with the content of the archive; nil when the file was not extracted.
    package var extraction: ExtractedArchive?

    /// Creates a description of a published file.
    package init(path: String, size: Int64, sha256: String? = nil, resumedFrom: Int64? = nil) {
        self.path = path
        self.size = size
        self.sha256 = sha256
        self.resumedFrom = resumedFrom
    }
}

/// The folder that the content of an archive became.
package struct ExtractedArchive: Sendable, Hashable {
    /// The path as in the job file.
    package var path: String
    /// The number of entries of the archive.
    package var entries: Int
    /// The bytes of all its files.
    package var size: Int64

    /// Creates a description of an extracted archive.
    package init(path: String, entries: Int, size: Int64) {
        self.path = path
        self.entries = entries
        self.size = size
    }
}

/// The evidence that the body is complete.
package enum BodyVoucher: String, Sendable, Hashable, CaseIterable {
    /// The checksum in the job.
    case checksum
    /// The signature that the job names; a task with both has `checksum`.
    case signature
    /// The digest from the server (RFC 9530).
    case digest
    case length
    /// No evidence: a body without length and checksum that ends with its connection or HTTP/2
    /// stream.
    case none
}
