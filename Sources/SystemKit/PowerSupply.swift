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
