import Testing
import TransferModel

@Suite struct ShardTests {
    private static func value(_ id: String) -> UInt64 {
        var hash = ShardHash()
        hash.append(id)
        return hash.value
    }

    /// They never change: shards of two releases must share a job alike.
    @Test(
        arguments: [
            ("", 0xefd0_1f60_ba99_2926), ("a", 0x82a2_a958_a9be_ce5b),
            ("handbook", 0x720f_6d5c_309c_c312), ("orders[1001]", 0x463a_5442_7e41_cfe6),
            ("orders[Zürich]", 0x7a6a_25b0_e3bd_504a), ("x[9999]", 0xd506_b7fe_8d4f_c358),
        ] as [(String, UInt64)]
    )
    func `the hash shard-v1 of an id is the same in every release`(id: String, hash: UInt64) {
        #expect(Self.value(id) == hash)
    }

    @Test func `the hash of the parts of an id is that of the id`() {
        var hash = ShardHash()
        for part in ["orders[", "1001", "]"] { hash.append(part) }
        #expect(hash.value == Self.value("orders[1001]"))
    }

    @Test func `four shards of ten thousand ids are even to five percent`() throws {
        var counts = [0, 0, 0, 0]
        for number in 0..<10_000 {
            var hash = ShardHash()
            hash.append("orders[\(number)]")
            counts[hash.index(of: 4) - 1] += 1
        }
        #expect(counts.allSatisfy { (2375...2625).contains($0) }, "\(counts)")
    }

    @Test func `a task runs in one shard of each number of shards`() throws {
        for count in 1...20 {
            let shards = try (1...count).map { try Shard($0, of: count) }
            for id in ["a", "handbook", "orders[1001]"] {
                #expect(shards.count { $0.has(id) } == 1)
            }
        }
    }

    @Test func `a shard is written as a number of a number`() throws {
        let shard = try Shard("7/100")
        #expect(shard.index == 7 && shard.count == 100)
        #expect(shard.text == "7/100" && shard.fileSuffix == "-7of100")
        #expect(Shard(endOf: "nightly-0badcafe-7of100") == shard)
        for name in ["nightly", "nightly-7of", "nightly-07of100", "nightly-101of100", "7of100"] {
            #expect(Shard(endOf: name) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        ("", "`` is no shard: write I/N, such as 7/100"),
        ("3", "`3` is no shard: write I/N, such as 7/100"),
        ("+1/4", "`+1/4` is no shard: write I/N, such as 7/100"),
        ("1/2/3", "`1/2/3` is no shard: write I/N, such as 7/100"),
        ("0/4", "there is no shard 0 of 4: the first is 1, the last 4"),
        ("5/4", "there is no shard 5 of 4: the first is 1, the last 4"),
        ("1/0", "a job has 1 to 10000 shards, not 0"),
    ])
    func `another text is refused with its reason`(text: String, message: String) {
        let fault = #expect(throws: Shard.Fault.self) { try Shard(text) }
        #expect(fault?.message == message)
    }

    @Test func `shards divide the limits of a job, and none is left without any`() {
        var schedule = ScheduleConfiguration()
        schedule.maxConcurrentTasks = 10
        #expect(schedule.divided(by: 4).maxConcurrentTasks == 2)
        #expect(schedule.divided(by: 100).maxConcurrentTasks == 1)
        var session = SessionConfiguration(name: "s")
        session.limits.rates.down = .rate(1000)
        session.limits.rates.up = .unlimited
        session.limits.rates.requests = .rate(RequestRate(count: 10, time: .seconds(1)))
        var night = SessionLimits.Rates()
        night.up = .rate(3)
        session.limits.timetable = [.init(window: DailyWindow(start: 0, end: 60), rates: night)]
        let part = session.divided(by: 4)
        #expect(part.httpMaximumConnectionsPerHost == 1)
        #expect(part.limits.rates.down == .rate(250) && part.limits.rates.up == .unlimited)
        #expect(part.limits.rates.requests?.rate?.spacing == .milliseconds(400))
        #expect(part.limits.timetable[0].rates.up == .rate(1))
    }
}
