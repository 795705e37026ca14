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
                "Tasks that may run at the same time."
            ) { $0.maxConcurrentTasks = $1 },
            Setting(
                "failFast",
                .boolean,
                default: "false",
                "Whether the first failed required task keeps the others from starting."
            ) { $0.failFast = $1 },
            Setting(
                "deadline",
                .durationOrUnlimited,
                default: "unlimited",
                "From the run's start: what has not ended by then is given up."
            ) { $0.deadline = $1 },
            Setting(
                "durability",
                .choice(),
                default: "file",
                "What is forced to the disk before a file counts as published."
            ) { $0.durability = $1 },
            Setting(
                "lock",
                LockPolicyText.type,
                "What to do while another run of the job is under way: `fail`, `skip`, `wait` or `wait 5m`."
            ) { $0.lock = $1 },
            Setting(
                "startJitter",
                .duration(allowsZero: true),
                default: "0s",
                "The run waits for a random part of it before anything is sent, unless a terminal watches."
            ) { $0.startJitter = $1 },
            Setting(
                "window",
                DailyWindowText.type,
                "When tasks may start, in local time; outside of it they are deferred."
            ) { $0.window = $1 },
        ]
    )
}
