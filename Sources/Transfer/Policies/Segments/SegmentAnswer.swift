/// The meaning of the response to a request for a segment, decided before the first byte of its
/// body.
enum SegmentAnswer: Hashable {
    /// The requested bytes up to but not including the offset `end`; they may be fewer than
    /// requested.
    case part(end: Int64)
    /// Anything else that concerns the range, for that reason: the whole file, a part that cannot
    /// be shown to be one of the same file, a refused range.
    case unusable(String)
    /// A response that does not concern the range, such as a failure.
    case refusal
}
