internal import SystemKit
internal import TransferModel

/// An exchange's part in a download whose file several connections fetch at the same time.
protocol SegmentPart: AnyObject {
    /// Whether the exchange is a request for a part; otherwise it is the attempt's own.
    var isForPart: Bool { get }
    /// The bytes after the first gap that are in the file.
    var looseRanges: [Range<Int64>] { get }
    /// The mirrors that have sent parts of the file.
    var mirrors: [Origin] { get }
    /// The bytes that the attempt has received over all connections.
    var receivedCount: Int64 { get }
    /// Why the task's own server could not serve a part; nil for none.
    var refusal: String? { get }
    /// Judges the head of the response to a request for a part; false when its body is unwanted.
    func judge(_ head: ResponseHead) -> Bool
    /// Writes bytes of the body to the file; false when no more of them are wanted.
    func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool
}
