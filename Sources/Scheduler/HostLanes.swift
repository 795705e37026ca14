import HeapModule
import TransferModel

/// Keeps tasks back while their host has as many connections as it may, or their origin is paused.
///
/// Only a key of sixteen bytes is kept back, or one key for many successive tasks of the plan: a
/// task is decoded when its turn comes, and once more when it had to wait. Every operation takes
/// logarithmic time, however many tasks are kept back at however many hosts.
struct HostLanes {
    /// The tasks of one session to one origin, which share its connections.
    struct Lane: Hashable {
        var session: Int
        var origin: Origin
    }

    /// The traffic of a lane.
    private struct Traffic {
        let lane: Lane
        var running = 0
        /// Whether the server has spoken a version of HTTP with streams.
        var hasStreams: Bool
        var parked = TaskQueue()
        /// The best key of the lane in `open`.
        var listed: TaskKey?
        /// Since when a pause has kept its first parked task back; nil while there is no pause, or
        /// no such task.
        var heldSince: MonotonicTime?
        /// How many tasks the last pause alone has kept back, and since when.
        var held = (count: 0, since: MonotonicTime(nanoseconds: 0))
    }

    /// The first parked task of a lane that had room when it was listed.
    private struct Listing: Comparable {
        var task: TaskKey
        /// The lane's place in `traffics`.
        var place: Int

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
    private var traffics: [Traffic] = []
    /// The places in `traffics` of the lanes with a running or a parked task.
    private var places: [Lane: Int] = [:]
    /// The places in `traffics` that have no lane.
    private var freePlaces: [Int] = []
    /// The place that was looked for last, which most often is the next one too.
    private var recent: Int?
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
        let place = place(of: lane)
        guard hasRoom(place) else {
            let isFirst = traffics[place].parked.min == nil
            traffics[place].parked.insert(task)
            if pauseEnd(lane.origin) != nil {
                traffics[place].heldSince = traffics[place].heldSince ?? now
            } else if isFirst {
                // The tasks that the last pause kept back are gone.
                traffics[place].held.count = 0
            }
            return false
        }
        traffics[place].running += 1
        return true
    }

    /// Parks the task, which comes out of `takeNext` as soon as its lane has room.
    mutating func park(_ task: TaskKey, _ lane: Lane) {
        let place = place(of: lane)
        traffics[place].parked.insert(task)
        list(place)
    }

    /// Gives a place back.
    mutating func leave(_ lane: Lane) {
        guard let place = find(lane) else { return }
        traffics[place].running -= 1
        if traffics[place].running <= 0, traffics[place].parked.isEmpty {
            places[lane] = nil
            freePlaces.append(place)
            recent = nil
        } else {
            list(place)
        }
    }

    /// The first parked task whose lane has room.
    mutating func next() -> TaskKey? {
        while let listing = open.min {
            let place = listing.place
            let isListed = traffics[place].listed == listing.task
            if isListed, traffics[place].parked.min == listing.task, hasRoom(place) {
                return listing.task
            }
            // The lane has filled up, or has got a better task, since it was listed.
            open.removeMin()
            if isListed {
                traffics[place].listed = nil
                list(place)
            }
        }
        return nil
    }

    /// Takes a place for the task that `next` names.
    ///
    /// `heldSince` is the time since which a pause of the origin kept the task from a free place.
    mutating func takeNext() -> (task: TaskKey, lane: Lane, heldSince: MonotonicTime?)? {
        guard let task = next(), let place = open.popMin()?.place else { return nil }
        traffics[place].listed = nil
        traffics[place].parked.removeMin()
        traffics[place].running += 1
        list(place)
        let (lane, held) = (traffics[place].lane, traffics[place].held)
        guard held.count > 0 else { return (task, lane, nil) }
        // The pause kept back no tasks after the last one that it counts.
        traffics[place].held.count = traffics[place].parked.min == nil ? 0 : held.count - 1
        return (task, lane, held.since)
    }

    /// The lane's server speaks a version of HTTP with streams: a connection has room for many
    /// tasks.
    mutating func didSpeakStreams(_ lane: Lane) {
        guard streamLanes.insert(lane).inserted, let place = places[lane] else { return }
        traffics[place].hasStreams = true
        list(place)
    }

    /// Forgets every parked task.
    mutating func dropParked() {
        open = Heap()
        recent = nil
        for (lane, place) in places {
            traffics[place].parked = TaskQueue()
            traffics[place].listed = nil
            guard traffics[place].running <= 0 else { continue }
            places[lane] = nil
            freePlaces.append(place)
        }
    }

    // MARK: Pauses

    /// Keeps the origin's tasks of every session from starting until `time`; a pause is never
    /// shortened.
    mutating func pause(_ origin: Origin, until time: MonotonicTime, from now: MonotonicTime) {
        if let current = pauses[origin], current >= time { return }
        if pauses[origin] == nil {
            for place in places(of: origin) where traffics[place].parked.min != nil {
                traffics[place].heldSince = now
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
            for place in places(of: resumption.origin) {
                if let since = traffics[place].heldSince {
                    traffics[place].held = (room(of: traffics[place]), since)
                }
                traffics[place].heldSince = nil
                list(place)
            }
        }
    }

    /// The lanes of all sessions to an origin.
    private func places(of origin: Origin) -> [Int] {
        limits.indices.compactMap { places[Lane(session: $0, origin: origin)] }
    }

    // MARK: Bookkeeping

    private mutating func place(of lane: Lane) -> Int {
        if let known = find(lane) { return known }
        let hasStreams = !streamLanes.isEmpty && streamLanes.contains(lane)
        let new = Traffic(lane: lane, hasStreams: hasStreams)
        let place = freePlaces.popLast() ?? traffics.endIndex
        if place < traffics.endIndex { traffics[place] = new } else { traffics.append(new) }
        places[lane] = place
        recent = place
        return place
    }

    private mutating func find(_ lane: Lane) -> Int? {
        if let recent, traffics[recent].lane == lane { return recent }
        recent = places[lane]
        return recent
    }

    private func hasRoom(_ place: Int) -> Bool {
        room(of: traffics[place]) > 0 && pauseEnd(traffics[place].lane.origin) == nil
    }

    /// How many more tasks its connections have room for.
    private func room(of traffic: Traffic) -> Int {
        let tasks = traffic.hasStreams ? Self.streamsPerConnection : 1
        return limits[traffic.lane.session] * tasks - traffic.running
    }

    /// Offers the lane's first parked task if the lane has room.
    private mutating func list(_ place: Int) {
        guard let first = traffics[place].parked.min, hasRoom(place) else { return }
        if let listed = traffics[place].listed, listed <= first { return }
        traffics[place].listed = first
        open.insert(Listing(task: first, place: place))
    }
}
