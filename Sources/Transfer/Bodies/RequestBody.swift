internal import CurlKit
internal import TransferModel

/// A request body that libcurl reads piece by piece.
protocol RequestBody: AnyObject {
    /// Bytes; nil when unknown.
    var size: Int64? { get }
    /// Whether the body can be read only once and reading has begun, so that no other request can
    /// carry it.
    var isSpent: Bool { get }
    /// The next piece, if available; 0 bytes mean the end.
    func read(into buffer: inout MutableRawSpan) throws(TransferFailure) -> BodyRead
    /// Which source had nothing at the last read, such as "the command `dump` wrote nothing"; nil
    /// if there was data.
    var silence: String? { get }
    /// Whether a source that had no bytes may have some now.
    var isReady: Bool { get }
    /// Notifies the body that its source is ready.
    func wake()
    /// Restarts the body for another request of the same attempt.
    func rewind() throws(TransferFailure)
    /// Checks that the sources still have the sent bytes and did not fail.
    func verify() throws(TransferFailure)
    /// Ends reading at the end of the attempt.
    func close()
}

extension RequestBody {
    var isReady: Bool { true }
    func close() {}

    /// Whether there was nothing to send at the last read.
    var isWaiting: Bool { silence != nil }
}
