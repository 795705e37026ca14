/// The evidence that the body is complete.
package enum BodyVoucher: String, Sendable, Hashable, CaseIterable {
    /// The checksum in the job.
    case checksum
    /// The digest from the server (RFC 9530).
    case digest
    case length
    /// No evidence: a body without length and checksum that ends with its connection or HTTP/2
    /// stream.
    case none
}
