internal import TransferModel

/// `schedule`: how the tasks of a run are started.
enum ScheduleTable {
    static let table = SettingTable<ScheduleConfiguration>(
        "schedule",
        [
            Setting(
                "maxConcurrentTasks",
                .integer(1...10_000),
                default: "16",
                "The most tasks that run at the same time."
            ) { $0.maxConcurrentTasks = $1 },
            Setting(
                "failFast",
                .boolean,
                default: "false",
                "Whether the first failure of a required task stops other tasks from starting."
            ) { $0.failFast = $1 },
            Setting(
                "deadline",
                .durationOrUnlimited,
                default: "unlimited",
                "The time after the run's start when runner cancels the tasks that have not ended."
            ) { $0.deadline = $1 },
            Setting(
                "durability",
                .choice(),
                default: "file",
                "What runner flushes to the disk before it publishes a file."
            ) { $0.durability = $1 },
            Setting(
                "lock",
                LockPolicyText.type,
                "What to do while another run of the job is under way: `fail`, `skip`, `wait` or "
                    + "`wait 5m`."
            ) { $0.lock = $1 },
            Setting(
                "shardLimits",
                .choice(),
                default: "divide",
                "Whether the shards of a run (`--shard`) share `maxConcurrentTasks` and the limits of "
                    + "the sessions, or each of them has these limits."
            ) { $0.shardLimits = $1 },
            Setting(
                "startJitter",
                .duration(allowsZero: true),
                default: "0s",
                "The run waits for a random part of this time before it sends anything, unless it "
                    + "has a terminal."
            ) { $0.startJitter = $1 },
            Setting(
                "window",
                DailyWindowText.type,
                "The hours, in local time, when tasks may start; at other times runner defers them."
            ) { $0.window = $1 },
        ],
        shorthand: Shorthand(
            ofScalar: { (try? DailyWindowText.parse($0)) == nil ? nil : "window" },
            advice: ForeignKeys.startTime
        )
    )
}
