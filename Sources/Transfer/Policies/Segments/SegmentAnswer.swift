/// The meaning of the response to a request for a segment, decided before the first byte of its
/// body.
enum SegmentAnswer: Hashable {
    /// The requested bytes up to but not including the offset `end`; they may be fewer than
    /// requested.
    case part(end: Int64)
    /// The same file as a whole: the server does not send ranges.
    case whole
    /// A part that cannot be shown to be one of the file.
    case unusable
    /// Another file than the one of the segments.
    case otherFile
    /// A response without a file, such as a failure.
    case refusal
}
