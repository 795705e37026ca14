/// Which part of the work one of several engine threads has.
struct EngineShare: Sendable, Hashable {
    /// From 0.
    var index: Int
    /// How many threads there are.
    var count: Int

    /// This thread's part of a number of connections; the parts of all threads add up to it.
    func part(of total: Int) -> Int {
        (total + count - 1 - index) / count
    }

    /// The `ordinal`-th number, from 0, of those that only this thread gives away; the smallest is 1.
    func number(of ordinal: Int) -> Int {
        ordinal * count + index + 1
    }
}
