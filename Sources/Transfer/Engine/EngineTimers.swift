internal import TransferModel

/// When each multi handle of an engine thread must be called (`CURLMOPT_TIMERFUNCTION`), by tag.
///
/// While a server of SSH is silent, libcurl 8 before 8.15 wants to be called at once again after
/// each call. Calls that follow each other without a ready socket are therefore a millisecond
/// apart. The first 16 are not delayed: libcurl reads a body in several steps.
struct EngineTimers {
    private var times: [MonotonicTime?]
    /// The calls wanted at once since a socket was ready.
    private var hurries: [Int]

    private static let mostHurries = 16

    init(count: Int) {
        times = Array(repeating: nil, count: count)
        hurries = Array(repeating: 0, count: count)
    }

    /// Makes room for one more handle.
    mutating func append() {
        times.append(nil)
        hurries.append(0)
    }

    /// Sets the time of a handle's next call, counted from `now`; nil for no call.
    mutating func set(_ tag: Int, milliseconds: Int?, at now: MonotonicTime) {
        guard var milliseconds else {
            times[tag] = nil
            return
        }
        if milliseconds == 0 {
            hurries[tag] += 1
            if hurries[tag] > Self.mostHurries { milliseconds = 1 }
        }
        times[tag] = now + .milliseconds(milliseconds)
    }

    /// Notes that a socket of a handle is ready.
    mutating func didFindSocket(_ tag: Int) { hurries[tag] = 0 }

    /// Takes the first tag, from a given one on, of a handle whose time has come.
    mutating func takeDue(from tag: Int, _ now: MonotonicTime) -> Int? {
        let due = times[tag...].firstIndex { $0.map { $0 <= now } ?? false }
        if let due { times[due] = nil }
        return due
    }

    /// The time of the next call of any handle; nil for none.
    var next: MonotonicTime? { times.lazy.compactMap(\.self).min() }
}
