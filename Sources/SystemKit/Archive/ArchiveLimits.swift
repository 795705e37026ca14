/// How much an archive may become.
package struct ArchiveLimits: Sendable, Hashable {
    /// The most bytes of all files.
    package var size: Int64
    /// The most entries.
    package var entries: Int
    /// The most bytes of all files for each byte of the archive; counts beyond `leastRatioSize`.
    package var ratio: Int

    /// Files of fewer bytes in all may have any ratio: repetitive texts do.
    package static let leastRatioSize: Int64 = 64 << 20

    /// Creates limits.
    package init(size: Int64, entries: Int, ratio: Int) {
        self.size = size
        self.entries = entries
        self.ratio = ratio
    }

    /// The most bytes of files from an archive of a length, and the key that sets that limit.
    func mostBytes(from length: Int64) -> (bytes: Int64, key: String) {
        let (product, overflow) = length.multipliedReportingOverflow(by: Int64(ratio))
        let byRatio = max(overflow ? .max : product, Self.leastRatioSize)
        return byRatio < size ? (byRatio, "maximumRatio") : (size, "maximumSize")
    }
}
