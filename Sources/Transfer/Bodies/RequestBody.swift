internal import CurlKit
internal import TransferModel

/// A request body that is handed to libcurl piece by piece.
protocol RequestBody: AnyObject {
    /// Bytes; nil when only its end tells.
    var size: Int64? { get }
    /// Whether it could be read once only, and that has begun: no other request can carry it.
    var isSpent: Bool { get }
    /// The next piece, if there is one now; 0 bytes are the end.
    func read(into buffer: inout MutableRawSpan) throws(TransferFailure) -> BodyRead
    /// Who did not give anything when it was asked last, such as "the command `dump` wrote
    /// nothing"; nil when there was something to send.
    var silence: String? { get }
    /// What it waited for has come.
    func wake()
    /// Begins anew, for another request of the same attempt.
    func rewind() throws(TransferFailure)
    /// Whether what was sent still is what the sources hold, and whether they have not failed.
    func verify() throws(TransferFailure)
    /// The attempt has ended: nothing more is read.
    func close()
}

extension RequestBody {
    func close() {}

    /// Whether it had nothing to send when it was asked last.
    var isWaiting: Bool { silence != nil }
}
