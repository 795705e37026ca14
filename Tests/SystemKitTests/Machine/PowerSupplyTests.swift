import SystemKit
import TestSupport
import Testing

/// Folders as sysfs would have them.
@Suite struct PowerSupplyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read() -> PowerSupply.Reading { PowerSupply(folder: folder.path).read() }

    /// Makes supplies, each written as `type key=value …`.
    private func make(_ supplies: [String]) throws {
        for (number, supply) in supplies.enumerated() {
            let words = supply.split(separator: " ")
            try folder.makeFolder("s\(number)")
            try folder.write("\(words[0])\n", to: "s\(number)/type")
            for word in words.dropFirst() {
                let parts = word.split(separator: "=")
                let value = parts[1].replacing("_", with: " ")
                try folder.write("\(value)\n", to: "s\(number)/\(parts[0])")
            }
        }
    }

    @Test(
        arguments: [
            ([], true), (["Mains online=1"], true), (["Mains online=0"], true),
            (["Battery status=Discharging", "Mains online=0"], false),
            (["Battery status=Discharging", "Mains online=1"], true),
            (["Battery status=Discharging", "Mains online=0", "USB online=2"], true),
            (["Battery status=Discharging"], false), (["Battery status=Unknown"], false),
            (["Battery"], false), (["UPS status=Discharging"], false),
            (["Battery status=Charging"], true), (["Battery status=Full"], true),
            (["Battery status=Not_charging"], true),
            (["Battery status=Full", "Battery status=Discharging"], false),
            (["Battery status=Discharging present=0"], true),
            (["Battery status=Discharging scope=Device"], true),
            (["Battery status=Discharging scope=System", "Mains online=1 scope=Device"], false),
        ] as [([String], Bool)]
    )
    func `a machine has external power unless only a battery feeds it`(
        supplies: [String],
        isExternal: Bool
    ) throws {
        try make(supplies)
        #expect(read().isExternal == isExternal)
    }

    @Test(arguments: [("Battery present=1", true), ("Battery present=0", false), ("Mains", false)])
    func `only a supply that can feed the machine alone is a battery`(supply: String, is: Bool)
        throws
    {
        try make([supply])
        #expect(read().hasBattery == `is`)
    }

    @Test func `a machine without power supplies counts as externally powered`() {
        let reading = PowerSupply(folder: folder.path + "/nowhere").read()
        #expect(reading.isExternal)
        #expect(!reading.hasBattery)
    }

    @Test func `a monitor reports a change when it looks`() throws {
        try make(["Battery status=Discharging", "Mains online=0"])
        let monitor = try PowerMonitor(PowerSupply(folder: folder.path))
        #expect(!monitor.isExternal)
        let told = Inbox<Bool>()
        try monitor.start { told.push($0) }
        try folder.write("1\n", to: "s1/online")
        monitor.lookAgain()
        #expect(told.takeAll(until: nil) == [true])
        #expect(monitor.isExternal)
        monitor.stop()
    }
}
