import Testing
import TransferModel

@testable import runner

/// Where `--shard` finds the shard of a process.
@Suite struct ShardPlaceTests {
    private static let slurm = [
        "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "16", "SLURM_ARRAY_TASK_MIN": "0",
        "SLURM_ARRAY_TASK_MAX": "15", "SLURM_ARRAY_TASK_STEP": "1",
    ]
    private static let stepped = [
        "SLURM_ARRAY_TASK_ID": "30", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10",
        "SLURM_ARRAY_TASK_MAX": "40", "SLURM_ARRAY_TASK_STEP": "10",
    ]
    private static let gaps = [
        "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1",
        "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_STEP": "1",
    ]
    private static let pod = ["JOB_COMPLETION_INDEX": "0"]
    private static let counted = ["JOB_COMPLETION_INDEX": "3", "JOB_COMPLETIONS": "4"]
    private static let gitLab = ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "5"]
    private static let second = ["JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "5"]
    private static let noNumber = ["CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "2"]
    private static let beyond = ["JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "4"]
    /// GitLab sets the total for a job without `parallel`, too.
    private static let single = ["CI_NODE_TOTAL": "1"]

    @Test(
        arguments: [
            ("2/3", [:], "2/3"), ("2/3", slurm, "2/3"), ("auto", slurm, "8/16"),
            ("auto", stepped, "3/4"), ("auto/16", slurm, "8/16"), ("auto", counted, "4/4"),
            ("auto/9", pod, "1/9"), ("auto", gitLab, "2/5"),
            ("auto", gitLab.merging(second) { $1 }, "2/5"),
            ("auto", slurm.merging(single) { $1 }, "8/16"),
        ] as [(String, [String: String], String)]
    )
    func `the environment of an engine names a shard`(
        option: String,
        environment: [String: String],
        shard: String
    ) throws {
        #expect(try ShardPlace.shard(option, in: environment).text == shard)
    }

    @Test(
        arguments: [
            (
                "auto", [:],
                "--shard auto finds no shard in the environment, where it looks for "
                    + "SLURM_ARRAY_TASK_ID (Slurm), JOB_COMPLETION_INDEX (Kubernetes), CI_NODE_INDEX "
                    + "(GitLab): give --shard I/N"
            ),
            (
                "auto", pod,
                "JOB_COMPLETION_INDEX is 0, but JOB_COMPLETIONS is not set: set it to the number of "
                    + "shards, or give --shard auto/N"
            ),
            (
                "auto", gitLab.merging(counted) { $1 },
                "JOB_COMPLETION_INDEX asks for the shard 4/4, and CI_NODE_INDEX for "
                    + "2/5: give --shard I/N"
            ),
            ("auto/8", slurm, "--shard auto/8 contradicts SLURM_ARRAY_TASK_COUNT, which is 16"),
            (
                "auto", gaps,
                "SLURM_ARRAY_TASK_ID is 1, and the numbers of the 3 processes are no plain range: "
                    + "give --shard I/N"
            ),
            ("auto", noNumber, "CI_NODE_INDEX is `x`, which is no number"),
            (
                "auto", beyond,
                "JOB_COMPLETION_INDEX is 4: there is no shard 5 of 4: the first is 1, the last 4"
            ),
            ("auto/x", pod, "--shard: write auto, or auto/N with the number of shards"),
            ("4/3", [:], "--shard: there is no shard 4 of 3: the first is 1, the last 3"),
            ("all", [:], "--shard: `all` is no shard: write I/N, such as 7/100"),
        ] as [(String, [String: String], String)]
    )
    func `an environment without one shard is an error that names its variables`(
        option: String,
        environment: [String: String],
        message: String
    ) {
        let exit = #expect(throws: Exit.self) {
            try ShardPlace.shard(option, in: environment)
        }
        #expect(exit?.code == .usage)
        #expect(exit?.message == message)
    }
}
