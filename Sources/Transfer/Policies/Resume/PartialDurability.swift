/// The events that a note of a part survives.
enum PartialDurability: Int, Comparable {
    /// The end of the process.
    case process
    /// The same events as the run's files survive: without syncing, a restart of the machine
    /// that first writes everything to the disk.
    case restart
    /// A power loss.
    case powerLoss

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
