/// The part of the work of one of several engine threads.
struct EngineShare: Sendable, Hashable {
    /// From 0, among the threads that share its sessions.
    var index: Int
    /// The number of threads that share its sessions.
    var count: Int
    /// From 0, among all threads.
    private var thread: Int
    private var threadCount: Int

    /// The part of one of `count` threads, when all sessions are shared.
    init(index: Int, count: Int) {
        (self.index, self.count) = (index, count)
        (thread, threadCount) = (index, count)
    }

    /// The parts of `count` threads that share most sessions, and of one more, the last, with
    /// sessions of its own.
    static func all(sharing count: Int, hasAnother: Bool) -> [EngineShare] {
        var shares = (0..<count).map { EngineShare(index: $0, count: count) }
        guard hasAnother else { return shares }
        shares.append(EngineShare(index: 0, count: 1))
        for thread in shares.indices {
            (shares[thread].thread, shares[thread].threadCount) = (thread, shares.count)
        }
        return shares
    }

    /// This thread's part of a number of connections; the parts of all threads that share them add
    /// up to it.
    func part(of total: Int) -> Int {
        (total + count - 1 - index) / count
    }

    /// The `ordinal`-th number, from 0, of the numbers that only this thread assigns; the smallest
    /// is 1.
    func number(of ordinal: Int) -> Int {
        ordinal * threadCount + thread + 1
    }
}
