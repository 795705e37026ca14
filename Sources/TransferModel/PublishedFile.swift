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

    /// Creates a description of a published file.
    package init(
        path: String,
        size: Int64,
        sha256: String? = nil,
        resumedFrom: Int64? = nil
    ) {
        self.path = path
        self.size = size
        self.sha256 = sha256
        self.resumedFrom = resumedFrom
    }
}
