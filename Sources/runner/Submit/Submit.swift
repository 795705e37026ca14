import ArgumentParser
import SystemKit
import TransferModel

/// `runner submit`: writes what a cluster needs to run the shards of a job, or hands it over.
struct Submit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        _superCommandName: Program.name,
        abstract: "Write a batch script for Slurm, or a manifest for Kubernetes.",
        discussion: Examples.discussion(
            """
            The cluster runs each shard of the job, runs it again when that may help, and merges the reports. Checks the \
            job first. A job for shards names its JSON report, and has no background session.
            """,
            Example(
                "a script to read, to change and to submit",
                "runner submit slurm job.yaml --shards 16 -o job.sh"
            ),
            Example(
                "submit it right away",
                "runner submit kubernetes job.yaml --shards 16 --image registry/runner:1 --now"
            )
        ),
        subcommands: [Slurm.self, Kubernetes.self]
    )

    struct Slurm: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "slurm",
            abstract: "Write a batch script for Slurm's sbatch.",
            discussion: Examples.discussion(
                """
                The script is an array of shards. Its array task 0 merges the reports; `--now` submits it as a second job that \
                waits for the array, and prints the ids of both.
                """,
                Example(
                    "what --now does",
                    """
                    id=$(sbatch --parsable job.sh) && sbatch --dependency="afterany:$id" --array=0 job.sh
                    """
                )
            )
        )

        @OptionGroup var options: SubmitOptions

        mutating func run() throws {
            let text = try ShardedJob(options).slurmScript
            guard options.now else { return try options.write(text) }
            let array = try Self.submit(text)
            try StandardOutput.write("shards \(array)\n")
            let merge = try Self.submit(text, ["--dependency=afterany:\(array)", "--array=0"])
            try StandardOutput.write("merge \(merge)\n")
        }

        /// Hands the script to sbatch; returns the number of the job.
        private static func submit(_ text: String, _ options: [String] = []) throws(Exit) -> Int {
            let reply = try SubmittedText.hand(text, to: ["sbatch", "--parsable"] + options)
            // In a federation a semicolon and the name of the cluster follow.
            let end = reply.unicodeScalars.firstIndex { !("0"..."9").contains($0) }
            guard let job = Int(reply[..<(end ?? reply.endIndex)]) else {
                throw Exit(.environment, "sbatch printed no number of a job")
            }
            return job
        }
    }

    struct Kubernetes: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "kubernetes",
            abstract: "Write a manifest for kubectl.",
            discussion: Examples.discussion(
                """
                The manifest has an indexed job with the shards, and a suspended job that merges the reports once somebody \
                starts it. A claim with the folder of the job file is mounted in all pods.
                """,
                Example(
                    "start the merge of the job scans",
                    #"kubectl patch job scans-merge --patch '{"spec":{"suspend":false}}'"#
                )
            )
        )

        @OptionGroup var options: SubmitOptions

        @Option(help: ArgumentHelp("The image with the runner.", valueName: "image"))
        var image: String

        @Option(
            help: ArgumentHelp(
                "The persistent volume claim with the folder of the job file, for many writers. "
                    + "(default: the name of the job)",
                valueName: "name"
            )
        )
        var claim: String?

        mutating func run() throws {
            let text = try ShardedJob(options).kubernetesManifest(image: image, claim: claim)
            guard options.now else { return try options.write(text) }
            let reply = try SubmittedText.hand(text, to: ["kubectl", "create", "-f", "-"])
            try StandardOutput.write(reply)
        }
    }
}
