/// Knows whether the machine has external power, and hears when that changes, on a thread of its
/// own.
package final class PowerMonitor: Sendable {
    private let supply: PowerSupply
    /// What devices tell; nil where the kernel does not tell this process, as in a container.
    private let changes: NetlinkSocket?
    private let reading: Lock<PowerSupply.Reading>
    private let wakeUp: EventPoll.WakeUp
    private let isStopped = Lock(false)
    private let thread = Lock<JoinableThread?>(nil)

    /// How often a machine with a battery is looked at even if nothing is told: some drivers tell
    /// nothing.
    private static let lookInterval: Int32 = 10_000
    private static let changesTag: UInt64 = 1

    /// Looks at the machine.
    ///
    /// - Parameter supply: Where to look.
    /// - Throws: Without descriptors.
    package init(_ supply: PowerSupply = PowerSupply()) throws(SystemError) {
        self.supply = supply
        wakeUp = try EventPoll.WakeUp()
        // Before the first look, so that no change is missed between the two.
        changes = try? NetlinkSocket(with: .devices, hearing: .changes)
        reading = Lock(supply.read())
    }

    /// Whether something else than a battery feeds the machine, as was seen last; any thread may
    /// ask.
    package var isExternal: Bool { reading.withLock { $0.isExternal } }

    /// Begins to listen; to be called once.
    ///
    /// - Parameter didChange: Called on the monitor's thread with `isExternal` when that is
    ///   another.
    /// - Throws: Without threads.
    package func start(_ didChange: @escaping @Sendable (Bool) -> Void) throws(SystemError) {
        let started = try JoinableThread(name: "power") { [self] in listen(didChange) }
        thread.withLock { $0 = started }
    }

    /// Lets the monitor's thread look now: something else has changed that often comes with power.
    package func lookAgain() {
        wakeUp.signal()
    }

    /// Ends the thread; nothing is told afterwards.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { thread in
            let started = thread
            thread = nil
            return started
        }?.join()
    }

    private func listen(_ didChange: (Bool) -> Void) {
        let poll = EventPoll(wakeUp)
        if let changes {
            try? poll.watch(changes.descriptor, for: .readable, tag: Self.changesTag)
        }
        var events: [EventPoll.Event] = []
        while true {
            let hasBattery = reading.withLock { $0.hasBattery }
            poll.wait(milliseconds: hasBattery ? Self.lookInterval : -1, into: &events)
            if isStopped.withLock({ $0 }) { return }
            changes?.drain()
            let found = supply.read()
            let last = reading.withLock { reading in
                let last = reading
                reading = found
                return last
            }
            if found.isExternal != last.isExternal { didChange(found.isExternal) }
        }
    }
}
