/// Which part of the work one of several engine threads has.
struct EngineShare: Sendable, Hashable {
    /// From 0, of those that share its sessions.
    var index: Int
    /// How many threads share its sessions.
    var count: Int
    /// From 0, of all.
    private var thread: Int
    private var threadCount: Int

    /// The part of one of `count` threads, none of which has a session for itself.
    init(index: Int, count: Int) {
        (self.index, self.count) = (index, count)
        (thread, threadCount) = (index, count)
    }

    /// The parts of `count` threads that share most sessions, and of one more, the last, with
    /// sessions for itself.
    static func all(sharing count: Int, hasAnother: Bool) -> [EngineShare] {
        var shares = (0..<count).map { EngineShare(index: $0, count: count) }
        guard hasAnother else { return shares }
        shares.append(EngineShare(index: 0, count: 1))
        for thread in shares.indices {
            (shares[thread].thread, shares[thread].threadCount) = (thread, shares.count)
        }
        return shares
    }

    /// This thread's part of a number of connections; the parts of all that share them add up to
    /// it.
    func part(of total: Int) -> Int {
        (total + count - 1 - index) / count
    }

    /// The `ordinal`-th number, from 0, of those that only this thread gives away; the smallest is
    /// 1.
    func number(of ordinal: Int) -> Int {
        ordinal * threadCount + thread + 1
    }
}
