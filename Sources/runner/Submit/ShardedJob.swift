import Plan
import SystemKit
import TransferModel

/// A job whose shards a cluster runs: the values of the batch script and of the manifest.
///
/// All paths but the folder's are relative to the folder of the job file, or absolute.
struct ShardedJob {
    /// The name of the job, with only the letters that Slurm and Kubernetes accept.
    let name: String
    /// How many shards there are.
    let count: Int
    /// The folder of the job file, as on the command line.
    let folder: String
    /// The name of the job file.
    let file: String
    /// The JSON report of the whole job.
    let report: String
    /// The folder for state.
    let stateFolder: String
    /// The words of `--var NAME=VALUE`.
    let variables: [String]
    /// Minutes; nil for the limit of the cluster.
    let time: Int?
    /// MiB.
    let memory: Int

    /// The most restarts of a shard.
    static let mostRestarts = 10
    /// The seconds between SIGTERM and SIGKILL.
    static let grace = 60

    /// Checks the job and collects the values.
    ///
    /// - Throws: `Exit` for a job with faults, when its shards have no reports, and for a path that
    ///   is no text.
    init(_ options: SubmitOptions) throws {
        let plan = try options.checkedPlan()
        guard let report = plan.reportPaths[.json] else {
            throw Exit(
                .usage,
                "the job names no report for its shards: add `report: { json: report.json }`"
            )
        }
        name = Self.harmlessName(plan.name)
        count = options.shards
        let (folder, file) = options.file.cut(atLast: "/") ?? (".", options.file[...])
        self.folder = folder.isEmpty ? "/" : Self.plainPath(String(folder))
        self.file = "./\(file)"
        self.report = report.withoutBytePrefix(plan.folder).map { "./\($0)" } ?? report
        stateFolder = Self.plainPath(options.stateFolder ?? "state")
        variables = options.job.variables.flatMap { ["--var", "\($0.name)=\($0.value)"] }
        time = options.time
        memory = options.memory ?? 512
        guard
            ([self.folder, self.file, self.report, stateFolder].allSatisfy { !$0.hasForeignBytes })
        else {
            throw Exit(.usage, "a path of the job is not UTF-8 text, which cluster scripts need")
        }
    }

    /// An absolute path, or a relative path that begins with a dot: `cd` may read other texts as an
    /// option or search CDPATH.
    private static func plainPath(_ path: String) -> String {
        path.hasBytePrefix("/") || path == "." ? path : "./\(path)"
    }

    /// At most forty lower-case letters, digits and hyphens (RFC 1123), which leaves room for the
    /// numbers of pods.
    static func harmlessName(_ name: String) -> String {
        let words = name.utf8.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        let text = words.map { String(Substring($0)) }.joined(separator: "-").lowercased()
        let short = text.prefix(40).utf8.split(separator: UInt8(ascii: "-"))
            .map { String(Substring($0)) }.joined(separator: "-")
        return short.isEmpty ? "job" : short
    }

    /// The words of the command that runs a shard; the number of the shard must follow.
    var runWords: [String] {
        ["run", file] + variables + ["--state-dir", stateFolder, "--shard"]
    }

    /// The words of the command that merges the reports.
    var mergeWords: [String] {
        ["report", "merge", "--shards", "\(count)", report, "--output", report]
    }
}

// MARK: - Slurm

extension ShardedJob {
    /// The batch script, whose array task 0 merges the reports.
    var slurmScript: String {
        let limit = time.map { "#SBATCH --time=\($0)\n" } ?? ""
        return """
            #!/bin/sh
            # Array task I runs shard I of \(count), and array task 0 merges the reports of all shards:
            #   id=$(sbatch --parsable FILE) && sbatch --dependency="afterany:$id" --array=0 FILE
            # `sbatch --array=3,7 FILE` runs the shards 3 and 7 again.
            #SBATCH --job-name=\(name)
            #SBATCH --array=1-\(count)
            #SBATCH --cpus-per-task=1
            #SBATCH --mem=\(memory)M
            \(limit)#SBATCH --requeue
            #SBATCH --open-mode=append
            #SBATCH --signal=B:USR1@\(Self.grace)

            cd \(Self.shell(folder)) || exit 4
            if [ "$SLURM_ARRAY_TASK_ID" -eq 0 ]; then
                exec runner \(Self.shell(mergeWords))
            fi

            # USR1 comes before the time limit: the runner stops, and the next run of the shard resumes.
            again=
            trap 'again=yes; kill -TERM "$runner"' USR1
            trap 'kill -TERM "$runner"' TERM
            runner \(Self.shell(runWords)) "$SLURM_ARRAY_TASK_ID/\(count)" &
            runner=$!
            wait "$runner"
            code=$?
            # A signal ends `wait` before it ends the runner.
            while kill -0 "$runner" 2>/dev/null; do
                wait "$runner"
                code=$?
            done

            # A later run may succeed after 5 (network, server), 7 (deferred) and 10 (a lost node still holds the lock).
            case $code in 5 | 7 | 10) again=yes ;; esac
            if [ "$again" ] && [ "$code" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt \(Self.mostRestarts) ]; then
                scontrol requeue "$SLURM_JOB_ID"
            fi
            exit "$code"

            """
    }

    private static func shell(_ words: [String]) -> String {
        words.map { shell($0) }.joined(separator: " ")
    }

    /// A word for a shell, in quotes if it may have characters with a meaning for shells.
    static func shell(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
    }
}

// MARK: - Kubernetes

extension ShardedJob {
    /// The folder of the job file in a pod.
    private static let mount = "/jobs"

    /// The manifest of an indexed job with the shards, and of the job that merges the reports.
    ///
    /// - Throws: `Exit` for a report outside of the mounted folder.
    func kubernetesManifest(image: String, claim: String?) throws(Exit) -> String {
        for (path, name) in [(report, "the job's report"), (stateFolder, "the state folder")] {
            guard path == "." || path.hasBytePrefix("./"), !path.splitAtBytes("/").contains("..")
            else {
                throw Exit(
                    .usage,
                    "pods mount the folder of the job file, and \(name) is not in it"
                )
            }
        }
        let pod = { (words: [String]) in podSpec(words, image: image, claim: claim ?? name) }
        let limit = time.map { "\n      activeDeadlineSeconds: \($0 * 60)" } ?? ""
        return """
            # The job `\(name)` runs the shards. When it has ended, well or not, start the merge of their reports:
            #   kubectl patch job \(name)-merge --patch '{"spec":{"suspend":false}}'
            apiVersion: batch/v1
            kind: Job
            metadata: { name: "\(name)" }
            spec:
              completionMode: Indexed
              completions: \(count)
              parallelism: \(count)
              backoffLimitPerIndex: \(Self.mostRestarts)
              podFailurePolicy:
                rules:
                  # An eviction and a drained node are no failures of the shard.
                  - action: Ignore
                    onPodConditions: [{ type: DisruptionTarget, status: "True" }]
                  # A later run may succeed after 5 (network, server), 7 (deferred), 10 (a lost node still holds the lock) and
                  # a signal.
                  - action: FailIndex
                    onExitCodes: { operator: NotIn, values: [5, 7, 10, 137, 143] }
              template:
                spec:\(limit)
            \(pod(runWords + ["auto/\(count)"]))
            ---
            apiVersion: batch/v1
            kind: Job
            metadata: { name: "\(name)-merge" }
            spec:
              suspend: true
              template:
                spec:
            \(pod(mergeWords))

            """
    }

    private func podSpec(_ words: [String], image: String, claim: String) -> String {
        // Kubernetes replaces `$(NAME)` in arguments, and `$$` is a dollar.
        let arguments = words.map { word in
            Self.yaml(word.splitAtBytes("$", omittingEmpty: false).joined(separator: "$$"))
        }
        return """
                  restartPolicy: Never
                  terminationGracePeriodSeconds: \(Self.grace)
                  containers:
                    - name: runner
                      image: \(Self.yaml(image))
                      workingDir: \(Self.mount)
                      args: [\(arguments.joined(separator: ", "))]
                      resources:
                        requests: { cpu: "1", memory: \(memory)Mi }
                        limits: { memory: \(memory)Mi }
                      volumeMounts: [{ name: job, mountPath: \(Self.mount) }]
                  volumes: [{ name: job, persistentVolumeClaim: { claimName: \(Self.yaml(claim)) } }]
            """
    }

    /// A double-quoted scalar: letters that YAML would refuse or fold are escaped (YAML 1.2 §5.7).
    static func yaml(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x22, 0x5C: "\\\(scalar)"
            case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
                0x10000...:
                "\(scalar)"
            case let value: "\\U" + value.padded(to: 8, radix: 16)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
