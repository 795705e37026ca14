/// The most traffic that the tasks of a session may cause together, by time of day.
package struct SessionLimits: Sendable, Hashable {
    /// A limit that may be lifted.
    package enum Limit<Rate: Sendable & Hashable>: Sendable, Hashable {
        case unlimited
        case rate(Rate)

        /// nil for no limit.
        package var rate: Rate? {
            if case .rate(let rate) = self { rate } else { nil }
        }
    }

    /// The limits of one part of the day; nil leaves a limit to the rest of the settings.
    package struct Rates: Sendable, Hashable {
        /// Bytes per second from servers.
        package var down: Limit<Int64>?
        /// Bytes per second to servers.
        package var up: Limit<Int64>?
        /// Requests per time.
        package var requests: Limit<RequestRate>?

        /// Creates rates without a limit.
        package init() {}

        /// These rates, with the rates of `base` where these leave one open.
        fileprivate func over(_ base: Rates) -> Rates {
            var rates = self
            rates.down = down ?? base.down
            rates.up = up ?? base.up
            rates.requests = requests ?? base.requests
            return rates
        }
    }

    /// The limits in a part of the day.
    package struct Period: Sendable, Hashable {
        /// In local time.
        package var window: DailyWindow
        /// The limits that differ from the session's.
        package var rates: Rates

        /// Creates a period.
        package init(window: DailyWindow, rates: Rates) {
            self.window = window
            self.rates = rates
        }
    }

    /// The limits outside of every period.
    package var rates = Rates()
    /// The first period that contains the time of day counts.
    package var timetable: [Period] = []

    /// Creates no limits.
    package init() {}

    /// The limits at a minute of the local day, 0 to 1,439.
    package func rates(atMinute minute: Int) -> Rates {
        guard let period = timetable.first(where: { $0.window.contains(minute) }) else {
            return rates
        }
        return period.rates.over(rates)
    }

    /// Whether a direction has a limit at any time of day.
    package var limitsBandwidth: Bool {
        all.contains { $0.down?.rate != nil || $0.up?.rate != nil }
    }

    /// Whether sent bytes have a limit at any time of day.
    package var limitsUploads: Bool { all.contains { $0.up?.rate != nil } }

    /// Whether requests have a limit at any time of day.
    package var limitsRequests: Bool { all.contains { $0.requests?.rate != nil } }

    private var all: [Rates] { [rates] + timetable.map(\.rates) }
}

/// A number of requests in a time.
package struct RequestRate: Sendable, Hashable {
    /// At least 1.
    package var count: Int64
    /// The time for so many requests.
    package var time: Duration

    /// Creates a rate.
    package init(count: Int64, time: Duration) {
        self.count = count
        self.time = time
    }

    /// The time from one request to the next.
    package var spacing: Duration { .nanoseconds(time.nanoseconds / count) }
}
