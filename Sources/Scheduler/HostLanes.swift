import HeapModule
import TransferModel

/// Keeps tasks back while their host has as many connections as it may, or their origin is paused.
///
/// Kept back is only a key of eight bytes: a task is decoded when its turn comes, and once more when it had to wait.
/// Every operation takes logarithmic time, however many tasks are kept back at however many hosts.
struct HostLanes {
    /// The tasks of one session to one origin, which share its connections.
    struct Lane: Hashable {
        var session: Int
        var origin: Origin
    }

    private struct Traffic {
        var running = 0
        var parked = Heap<TaskKey>()
        /// The best key under which the lane stands in `open`.
        var listed: TaskKey?
    }

    /// The first parked task of a lane that had room when it was listed.
    private struct Listing: Comparable {
        var task: TaskKey
        var lane: Lane

        static func < (left: Listing, right: Listing) -> Bool { left.task < right.task }
    }

    private struct Resumption: Comparable {
        var time: MonotonicTime
        var origin: Origin

        static func < (left: Resumption, right: Resumption) -> Bool { left.time < right.time }
    }

    /// `httpMaximumConnectionsPerHost` of each session.
    private let limits: [Int]
    private var lanes: [Lane: Traffic] = [:]
    private var open = Heap<Listing>()
    private var pauses: [Origin: MonotonicTime] = [:]
    private var resumptions = Heap<Resumption>()

    init(limits: [Int]) {
        self.limits = limits
    }

    /// Takes a place in the lane if it has one to give, else parks the task.
    mutating func enter(_ task: TaskKey, _ lane: Lane) -> Bool {
        guard hasRoom(lane) else {
            lanes[lane, default: Traffic()].parked.insert(task)
            return false
        }
        lanes[lane, default: Traffic()].running += 1
        return true
    }

    /// Parks the task, which comes out of `takeNext` as soon as its lane has room.
    mutating func park(_ task: TaskKey, _ lane: Lane) {
        lanes[lane, default: Traffic()].parked.insert(task)
        list(lane)
    }

    /// Gives a place back.
    mutating func leave(_ lane: Lane) {
        lanes[lane]?.running -= 1
        list(lane)
        removeIfEmpty(lane)
    }

    /// The first parked task whose lane has room.
    mutating func next() -> TaskKey? {
        while let listing = open.min {
            let traffic = lanes[listing.lane]
            if traffic?.listed == listing.task, traffic?.parked.min == listing.task,
                hasRoom(listing.lane)
            {
                return listing.task
            }
            // The lane has filled up, or somebody better has come, since it was listed.
            open.removeMin()
            if traffic?.listed == listing.task {
                lanes[listing.lane]?.listed = nil
                list(listing.lane)
            }
        }
        return nil
    }

    /// Takes a place for the task that `next` names.
    mutating func takeNext() -> (task: TaskKey, lane: Lane)? {
        guard let task = next(), let listing = open.popMin() else { return nil }
        lanes[listing.lane]?.listed = nil
        lanes[listing.lane]?.parked.removeMin()
        lanes[listing.lane]?.running += 1
        list(listing.lane)
        return (task, listing.lane)
    }

    /// Forgets every parked task.
    mutating func dropParked() {
        open = Heap()
        for (lane, traffic) in lanes {
            lanes[lane] = traffic.running > 0 ? Traffic(running: traffic.running) : nil
        }
    }

    // MARK: Pauses

    /// Keeps the origin's tasks of every session from starting until `time`; a pause is never shortened.
    mutating func pause(_ origin: Origin, until time: MonotonicTime) {
        if let current = pauses[origin], current >= time { return }
        pauses[origin] = time
        resumptions.insert(Resumption(time: time, origin: origin))
    }

    /// When the origin's pause ends; nil when it is not paused.
    func pauseEnd(_ origin: Origin) -> MonotonicTime? {
        pauses.isEmpty ? nil : pauses[origin]
    }

    /// When `resume` has something to do.
    var nextResumption: MonotonicTime? { resumptions.min?.time }

    /// Ends the pauses that are over.
    mutating func resume(_ now: MonotonicTime) {
        while let resumption = resumptions.min, resumption.time <= now {
            resumptions.removeMin()
            // An extended pause has a later entry of its own.
            guard pauses[resumption.origin] == resumption.time else { continue }
            pauses[resumption.origin] = nil
            for session in limits.indices {
                list(Lane(session: session, origin: resumption.origin))
            }
        }
    }

    // MARK: Bookkeeping

    private func hasRoom(_ lane: Lane) -> Bool {
        pauseEnd(lane.origin) == nil && lanes[lane]?.running ?? 0 < limits[lane.session]
    }

    /// Offers the lane's first parked task if the lane has room.
    private mutating func list(_ lane: Lane) {
        guard let traffic = lanes[lane], let first = traffic.parked.min, hasRoom(lane) else {
            return
        }
        if let listed = traffic.listed, listed <= first { return }
        lanes[lane]?.listed = first
        open.insert(Listing(task: first, lane: lane))
    }

    private mutating func removeIfEmpty(_ lane: Lane) {
        guard let traffic = lanes[lane], traffic.running <= 0, traffic.parked.isEmpty else {
            return
        }
        lanes[lane] = nil
    }
}
