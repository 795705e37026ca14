/// What the machine is fed by, as sysfs has it (sysfs-class-power of the kernel's documentation).
package struct PowerSupply: Sendable, Hashable {
    /// Where sysfs has a folder for each supply.
    package static let usualFolder = "/sys/class/power_supply"

    private let folder: String

    /// - Parameter folder: Where sysfs has a folder for each supply.
    package init(folder: String = Self.usualFolder) {
        self.folder = folder
    }

    /// What is found at one moment.
    package struct Reading: Sendable, Hashable {
        /// Whether a battery could feed the machine.
        package var hasBattery = false
        /// Whether something else than a battery feeds it; so does it without one.
        package var isExternal = true
    }

    /// Reads what there is now; a machine that says nothing has external power.
    package func read() -> Reading {
        var reading = Reading()
        var (isOnline, isDrained) = (false, false)
        for supply in (try? FilePattern.expand("\(folder)/*")) ?? [] {
            // Of a mouse or a headset, not of the machine.
            if text("\(supply)/scope") == "Device" { continue }
            switch text("\(supply)/type") {
            case "Battery", "UPS":
                guard text("\(supply)/present") != "0" else { continue }
                reading.hasBattery = true
                // A battery without a charger that is told of is fed by whatever does not let it
                // drain.
                let isFed = ["Charging", "Full", "Not charging"].contains(text("\(supply)/status"))
                isDrained = isDrained || !isFed
            case nil: continue
            // Mains, USB and Wireless; 2 is a voltage that was agreed on.
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
