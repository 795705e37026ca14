internal import SystemKit

extension ScheduleConfiguration {
    /// The part of the schedule's limits for each of so many runs at the same time.
    package func divided(by count: Int) -> ScheduleConfiguration {
        var part = self
        part.maxConcurrentTasks = max(1, maxConcurrentTasks / count)
        return part
    }
}

extension SessionConfiguration {
    /// The part of the session's limits for each of so many runs at the same time: at least one
    /// connection and one byte per second.
    package func divided(by count: Int) -> SessionConfiguration {
        var part = self
        part.httpMaximumConnectionsPerHost = max(1, httpMaximumConnectionsPerHost / count)
        part.limits.rates = limits.rates.divided(by: count)
        for index in part.limits.timetable.indices {
            part.limits.timetable[index].rates = limits.timetable[index].rates.divided(by: count)
        }
        return part
    }
}

extension SessionLimits.Rates {
    fileprivate func divided(by count: Int) -> SessionLimits.Rates {
        var part = self
        part.down = down?.map { max(1, $0 / Int64(count)) }
        part.up = up?.map { max(1, $0 / Int64(count)) }
        part.requests = requests?.map { $0.divided(by: count) }
        return part
    }
}

extension SessionLimits.Limit {
    fileprivate func map(_ transform: (Rate) -> Rate) -> SessionLimits.Limit<Rate> {
        switch self {
        case .unlimited: .unlimited
        case .rate(let rate): .rate(transform(rate))
        }
    }
}

extension RequestRate {
    /// The same number of requests in a longer time.
    fileprivate func divided(by count: Int) -> RequestRate {
        let nanoseconds = time.nanoseconds.multipliedSaturated(by: Int64(count))
        return RequestRate(count: self.count, time: .nanoseconds(nanoseconds))
    }
}
