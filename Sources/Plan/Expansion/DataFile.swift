/// An open file of rows, read at any offset by any thread.
package protocol DataFile: Sendable {
    /// Bytes, when it was opened.
    var size: Int64 { get }
    /// Whether its content is unchanged since it was opened, as far as its metadata tells.
    var isUnchanged: Bool { get }
    /// Up to `count` bytes from `offset`, fewer only at the end; nil when the disk refuses.
    func read(at offset: Int64, count: Int) -> [UInt8]?
}
