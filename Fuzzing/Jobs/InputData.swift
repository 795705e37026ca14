import Plan

/// A data file in memory.
struct InputData: DataFile {
    let bytes: [UInt8]

    var size: Int64 { Int64(bytes.count) }
    var isUnchanged: Bool { true }

    func read(at offset: Int64, count: Int) -> [UInt8]? {
        Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
    }
}
