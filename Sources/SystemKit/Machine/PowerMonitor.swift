/// Watches on its own thread whether the machine has external power.
package final class PowerMonitor: Sendable {
    private let supply: PowerSupply
    /// Device messages; nil where the kernel denies them, as in a container.
    private let changes: NetlinkSocket?
    private let reading: Lock<PowerSupply.Reading>
    private let wakeUp: EventPoll.WakeUp
    private let isStopped = Lock(false)
    private let thread = Lock<JoinableThread?>(nil)

    /// How often to check a machine with a battery, milliseconds: some drivers send no messages.
    private static let lookInterval: Int32 = 10_000
    private static let changesTag: UInt64 = 1

    /// Checks the power supply.
    ///
    /// - Parameter supply: The supply to read.
    /// - Throws: When no descriptor is available.
    package init(_ supply: PowerSupply = PowerSupply()) throws(SystemError) {
        self.supply = supply
        wakeUp = try EventPoll.WakeUp()
        // Listen before the first check, so that no change is missed.
        changes = try? NetlinkSocket(with: .devices, hearing: .changes)
        reading = Lock(supply.read())
    }

    /// Whether the machine had external power at the last check; any thread may ask.
    package var isExternal: Bool { reading.withLock { $0.isExternal } }

    /// Starts listening; call it once.
    ///
    /// - Parameter didChange: Called on the monitor's thread with `isExternal` when it changes.
    /// - Throws: When no thread is available.
    package func start(_ didChange: @escaping @Sendable (Bool) -> Void) throws(SystemError) {
        let started = try JoinableThread(name: "power") { [self] in listen(didChange) }
        thread.withLock { $0 = started }
    }

    /// Makes the thread check now, after another event that often comes with a power change.
    package func lookAgain() {
        wakeUp.signal()
    }

    /// Ends the thread; makes no calls afterwards.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { $0.take() }?.join()
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

/// The machine's power supply in sysfs (sysfs-class-power in the kernel's documentation).
package struct PowerSupply: Sendable, Hashable {
    /// The sysfs folder with a folder for each supply.
    package static let usualFolder = "/sys/class/power_supply"

    private let folder: String

    /// - Parameter folder: The sysfs folder with a folder for each supply.
    package init(folder: String = Self.usualFolder) {
        self.folder = folder
    }

    /// The state at one moment.
    package struct Reading: Sendable, Hashable {
        /// Whether the machine has a battery.
        package var hasBattery = false
        /// Whether the machine runs on external power; true without a battery.
        package var isExternal = true
    }

    /// Reads the current state; a machine without any data has external power.
    package func read() -> Reading {
        var reading = Reading()
        var (isOnline, isDrained) = (false, false)
        for supply in (try? FilePattern.expand("\(folder)/*")) ?? [] {
            // The battery of a mouse or a headset.
            if text("\(supply)/scope") == "Device" { continue }
            switch text("\(supply)/type") {
            case "Battery", "UPS":
                guard text("\(supply)/present") != "0" else { continue }
                reading.hasBattery = true
                // A battery that does not drain has external power even if no charger is listed.
                let isFed = ["Charging", "Full", "Not charging"].contains(text("\(supply)/status"))
                isDrained = isDrained || !isFed
            case nil: continue
            // Mains, USB and Wireless; 2 means a negotiated voltage.
            default: isOnline = isOnline || ["1", "2"].contains(text("\(supply)/online"))
            }
        }
        reading.isExternal = isOnline || !isDrained
        return reading
    }

    private func text(_ path: String) -> String? {
        guard let bytes = try? InputFile(path: path).readPrefix(limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }
}
