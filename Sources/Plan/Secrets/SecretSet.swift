/// Some of the secrets of a job, by their positions in it.
struct SecretSet: Sendable, Hashable {
    /// The most secrets that a job can have.
    static let capacity = 64

    private var bits: UInt64 = 0

    init() {}

    /// One secret; `position` is below `capacity`.
    init(_ position: Int) { bits = 1 << UInt64(position) }

    var isEmpty: Bool { bits == 0 }

    func contains(_ position: Int) -> Bool { bits >> UInt64(position) & 1 == 1 }

    mutating func formUnion(_ other: SecretSet) { bits |= other.bits }

    /// In ascending order.
    var positions: [Int] { (0..<Self.capacity).filter(contains) }
}
