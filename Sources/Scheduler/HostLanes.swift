import HeapModule
import TransferModel

/// Keeps tasks back while their host has as many connections as it may, or their origin is paused.
///
/// Kept back is only a key of sixteen bytes, or one for many tasks of the plan in a row: a task is
/// decoded when its turn comes, and once more when it had to wait. Every operation takes
/// logarithmic time, however many tasks are kept back at however many hosts.
struct HostLanes {
    /// The tasks of one session to one origin, which share its connections.
    struct Lane: Hashable {
        var session: Int
        var origin: Origin
    }

    /// What goes on in a lane.
    private final class Traffic {
        let lane: Lane
        var running = 0
        /// Whether the server has spoken a version of HTTP with streams.
        var hasStreams: Bool
        var parked = TaskQueue()
        /// The best key under which the lane stands in `open`.
        var listed: TaskKey?
        /// Since when a pause has kept its first parked task back; nil while there is no pause, or
        /// no such task.
        var heldSince: MonotonicTime?
        /// How many tasks the last pause alone has kept back, and since when.
        var held = (count: 0, since: MonotonicTime(nanoseconds: 0))

        init(_ lane: Lane, hasStreams: Bool) {
            self.lane = lane
            self.hasStreams = hasStreams
        }
    }

    /// The first parked task of a lane that had room when it was listed.
    private struct Listing: Comparable {
        var task: TaskKey
        var traffic: Traffic

        static func == (left: Listing, right: Listing) -> Bool { left.task == right.task }
        static func < (left: Listing, right: Listing) -> Bool { left.task < right.task }
    }

    private struct Resumption: Comparable {
        var time: MonotonicTime
        var origin: Origin

        static func < (left: Resumption, right: Resumption) -> Bool { left.time < right.time }
    }

    /// How many tasks share a connection that has streams: as many as libcurl puts on one.
    private static let streamsPerConnection = 100

    /// `httpMaximumConnectionsPerHost` of each session.
    private let limits: [Int]
    private var lanes: [Lane: Traffic] = [:]
    /// The lane that was looked for last, which most often is the next one too.
    private var recent: Traffic?
    /// The lanes whose server has spoken a version of HTTP with streams.
    private var streamLanes: Set<Lane> = []
    private var open = Heap<Listing>()
    private var pauses: [Origin: MonotonicTime] = [:]
    private var resumptions = Heap<Resumption>()

    init(limits: [Int]) {
        self.limits = limits
    }

    /// Takes a place in the lane if it has one to give, else parks the task.
    mutating func enter(_ task: TaskKey, _ lane: Lane, at now: MonotonicTime) -> Bool {
        let traffic = traffic(of: lane)
        guard hasRoom(traffic) else {
            let isFirst = traffic.parked.min == nil
            traffic.parked.insert(task)
            if pauseEnd(lane.origin) != nil {
                traffic.heldSince = traffic.heldSince ?? now
            } else if isFirst {
                // The tasks that the last pause kept back are gone.
                traffic.held.count = 0
            }
            return false
        }
        traffic.running += 1
        return true
    }

    /// Parks the task, which comes out of `takeNext` as soon as its lane has room.
    mutating func park(_ task: TaskKey, _ lane: Lane) {
        let traffic = traffic(of: lane)
        traffic.parked.insert(task)
        list(traffic)
    }

    /// Gives a place back.
    mutating func leave(_ lane: Lane) {
        guard let traffic = find(lane) else { return }
        traffic.running -= 1
        if traffic.running <= 0, traffic.parked.isEmpty {
            lanes[lane] = nil
            recent = nil
        } else {
            list(traffic)
        }
    }

    /// The first parked task whose lane has room.
    mutating func next() -> TaskKey? {
        while let listing = open.min {
            let traffic = listing.traffic
            let isListed = traffic.listed == listing.task
            if isListed, traffic.parked.min == listing.task, hasRoom(traffic) {
                return listing.task
            }
            // The lane has filled up, or somebody better has come, since it was listed.
            open.removeMin()
            if isListed {
                traffic.listed = nil
                list(traffic)
            }
        }
        return nil
    }

    /// Takes a place for the task that `next` names.
    ///
    /// `heldSince` tells since when a pause of the origin kept the task from a place that was free.
    mutating func takeNext() -> (task: TaskKey, lane: Lane, heldSince: MonotonicTime?)? {
        guard let task = next(), let traffic = open.popMin()?.traffic else { return nil }
        traffic.listed = nil
        traffic.parked.removeMin()
        traffic.running += 1
        list(traffic)
        guard traffic.held.count > 0 else { return (task, traffic.lane, nil) }
        // Tasks that come after the last one that was kept back have not been.
        traffic.held.count = traffic.parked.min == nil ? 0 : traffic.held.count - 1
        return (task, traffic.lane, traffic.held.since)
    }

    /// The lane's server speaks a version of HTTP with streams: a connection has room for many
    /// tasks.
    mutating func didSpeakStreams(_ lane: Lane) {
        guard streamLanes.insert(lane).inserted, let traffic = lanes[lane] else { return }
        traffic.hasStreams = true
        list(traffic)
    }

    /// Forgets every parked task.
    mutating func dropParked() {
        open = Heap()
        lanes = lanes.filter { $0.value.running > 0 }
        recent = nil
        for traffic in lanes.values {
            traffic.parked = TaskQueue()
            traffic.listed = nil
        }
    }

    // MARK: Pauses

    /// Keeps the origin's tasks of every session from starting until `time`; a pause is never
    /// shortened.
    mutating func pause(_ origin: Origin, until time: MonotonicTime, from now: MonotonicTime) {
        if let current = pauses[origin], current >= time { return }
        if pauses[origin] == nil {
            for traffic in traffics(of: origin) where traffic.parked.min != nil {
                traffic.heldSince = now
            }
        }
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
            for traffic in traffics(of: resumption.origin) {
                if let since = traffic.heldSince { traffic.held = (room(of: traffic), since) }
                traffic.heldSince = nil
                list(traffic)
            }
        }
    }

    /// The lanes of all sessions to an origin.
    private func traffics(of origin: Origin) -> [Traffic] {
        limits.indices.compactMap { lanes[Lane(session: $0, origin: origin)] }
    }

    // MARK: Bookkeeping

    private mutating func traffic(of lane: Lane) -> Traffic {
        if let known = find(lane) { return known }
        let new = Traffic(
            lane,
            hasStreams: !streamLanes.isEmpty && streamLanes.contains(lane)
        )
        lanes[lane] = new
        recent = new
        return new
    }

    private mutating func find(_ lane: Lane) -> Traffic? {
        if let recent, recent.lane == lane { return recent }
        recent = lanes[lane]
        return recent
    }

    private func hasRoom(_ traffic: Traffic) -> Bool {
        room(of: traffic) > 0 && pauseEnd(traffic.lane.origin) == nil
    }

    /// How many more tasks its connections have room for.
    private func room(of traffic: Traffic) -> Int {
        let tasks = traffic.hasStreams ? Self.streamsPerConnection : 1
        return limits[traffic.lane.session] * tasks - traffic.running
    }

    /// Offers the lane's first parked task if the lane has room.
    private mutating func list(_ traffic: Traffic) {
        guard let first = traffic.parked.min, hasRoom(traffic) else { return }
        if let listed = traffic.listed, listed <= first { return }
        traffic.listed = first
        open.insert(Listing(task: first, traffic: traffic))
    }
}
