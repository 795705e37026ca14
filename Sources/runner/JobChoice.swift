import ArgumentParser
import SystemKit
import TransferModel

/// The job file of a command and the tasks that are chosen from it, in any order.
struct JobChoice: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The job file.", valueName: "file"),
        completion: .jobFile
    )
    var file: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Run only these tasks and the tasks that they need. [env: RUNNER_ONLY, separated by "
                + "spaces]",
            valueName: "id"
        )
    )
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run only the tasks of this part of the job, such as 7/100; with auto the part that "
                + "Slurm, Kubernetes or GitLab has for this process. [env: RUNNER_SHARD]",
            valueName: "i/n"
        )
    )
    var shard: String?

    /// Reports invalid arguments in the parser's words, before anything is done.
    func validate() throws { _ = try resolved() }

    /// The job file and the ids of the tasks; no ids for all tasks.
    ///
    /// `--only` takes every word up to the next option, possibly including the job file. That is
    /// the only word that is a file with a YAML name, otherwise the only file, otherwise the only
    /// YAML name.
    func resolved() throws -> (path: String, ids: [String]) {
        if let file { return (file, only) }
        let named = only.indices.filter {
            only[$0].hasByteSuffix(".yaml") || only[$0].hasByteSuffix(".yml")
        }
        let present = only.indices.filter { Self.isFile(only[$0]) }
        let both = named.filter(present.contains)
        guard let choice = [both, present, named].first(where: { $0.count == 1 })?.first else {
            throw ValidationError(complaint)
        }
        var ids = only
        let path = ids.remove(at: choice)
        guard !ids.isEmpty else {
            throw ValidationError("'--only' names no task before or after '\(path)'")
        }
        return (path, ids)
    }

    /// The part of the job that the command line, or else the environment, chooses; nil for all.
    func resolvedShard() throws(Exit) -> Shard? {
        guard let text = shard ?? EnvironmentOption.text("SHARD") else { return nil }
        return try ShardPlace.shard(text, in: ProcessContext.environment)
    }

    private var complaint: String {
        let missing = "Missing expected argument '<file>'"
        guard !only.isEmpty else { return missing }
        let words = only.map { "'\($0)'" }.joined(separator: ", ")
        return "\(missing): '--only' took \(words); name the job file first, or after '--'"
    }

    private static func isFile(_ path: String) -> Bool {
        guard let kind = try? InputFile.kind(of: path) else { return false }
        return kind == .regular
    }
}
