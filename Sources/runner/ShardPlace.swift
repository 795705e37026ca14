import SystemKit
import TransferModel

/// The shard of this process, which `--shard` names, or the environment variables of an engine such
/// as Slurm that starts many processes.
enum ShardPlace {
    /// A number that an engine fixes or passes in an environment variable.
    fileprivate enum Number {
        case fixed(Int)
        case variable(String)
    }

    /// The variables of an engine: `place` has the number of this process, and the numbers of all
    /// processes begin with `first`.
    fileprivate struct Engine {
        let name: String
        let place: String
        let first: Number
        var last: String?
        var step: Number = .fixed(1)
        let count: String
    }

    private static let engines = [
        Engine(
            name: "Slurm",
            place: "SLURM_ARRAY_TASK_ID",
            first: .variable("SLURM_ARRAY_TASK_MIN"),
            last: "SLURM_ARRAY_TASK_MAX",
            step: .variable("SLURM_ARRAY_TASK_STEP"),
            count: "SLURM_ARRAY_TASK_COUNT"
        ),
        // Kubernetes sets no variable with the number of completions; the manifest does.
        Engine(
            name: "Kubernetes",
            place: "JOB_COMPLETION_INDEX",
            first: .fixed(0),
            count: "JOB_COMPLETIONS"
        ),
        Engine(
            name: "GitLab",
            place: "CI_NODE_INDEX",
            first: .fixed(1),
            count: "CI_NODE_TOTAL"
        ),
    ]

    /// Reads `I/N`, `auto`, or `auto/N` if the environment has the place but not the count.
    ///
    /// - Throws: `Exit` for another text, and for an environment without a shard or with several.
    static func shard(_ text: String, in environment: [String: String]) throws(Exit) -> Shard {
        let auto = "auto"
        guard text == auto || text.hasBytePrefix(auto + "/") else {
            return try legal("--shard: ") { () throws(Shard.Fault) in try Shard(text) }
        }
        let count = text == auto ? nil : Shard.number(text.dropFirst(auto.count + 1))
        guard text == auto || count != nil else {
            throw Exit(.usage, "--shard: write auto, or auto/N with the number of shards")
        }
        var found: [(engine: Engine, shard: Shard)] = []
        for engine in engines {
            guard let shard = try engine.shard(in: environment, of: count) else { continue }
            found.append((engine, shard))
        }
        guard let (engine, shard) = found.first else {
            let places = engines.map { "\($0.place) (\($0.name))" }.joined(separator: ", ")
            throw Exit(
                .usage,
                "--shard auto finds no shard in the environment, where it looks for \(places): "
                    + "give --shard I/N"
            )
        }
        if let (other, another) = found.first(where: { $0.shard != shard }) {
            throw Exit(
                .usage,
                "\(engine.place) asks for the shard \(shard.text), and \(other.place) for "
                    + "\(another.text): give --shard I/N"
            )
        }
        return shard
    }

    /// All shards of a job.
    ///
    /// - Throws: `Exit` when no job can have so many shards.
    static func all(of count: Int) throws(Exit) -> [Shard] {
        try legal("--shards: ") { () throws(Shard.Fault) in
            var shards = [try Shard(1, of: count)]
            while shards.count < count {
                shards.append(try Shard(shards.count + 1, of: count))
            }
            return shards
        }
    }

    fileprivate static func legal<Result>(
        _ context: String,
        _ body: () throws(Shard.Fault) -> Result
    ) throws(Exit) -> Result {
        do throws(Shard.Fault) {
            return try body()
        } catch {
            throw Exit(.usage, context + error.message)
        }
    }
}

extension ShardPlace.Engine {
    /// The shard by the engine's variables; nil when the engine did not start the process.
    ///
    /// `given` is the number of shards on the command line.
    fileprivate func shard(
        in environment: [String: String],
        of given: Int?
    ) throws(Exit) -> Shard? {
        guard let number = try Self.number(place, environment) else { return nil }
        let told = try Self.number(count, environment)
        guard let count = given ?? told else {
            throw Exit(
                .usage,
                "\(place) is \(number), but \(count) is not set: set it to the number of shards, "
                    + "or give --shard auto/N"
            )
        }
        guard told == nil || told == count else {
            throw Exit(
                .usage,
                "--shard auto/\(count) contradicts \(self.count), which is \(told ?? 0)"
            )
        }
        _ = try ShardPlace.legal("--shard: ") { () throws(Shard.Fault) in try Shard(1, of: count) }
        let first = try first.value(environment) ?? 0
        let step = max(1, try step.value(environment) ?? 1)
        let end = try last.flatMap { (name) throws(Exit) in try Self.number(name, environment) }
        let isRange = end.map { $0 - first == (count - 1) * step } ?? true
        guard number >= first, isRange, (number - first) % step == 0 else {
            throw Exit(
                .usage,
                "\(place) is \(number), and the numbers of the \(count) processes are no plain "
                    + "range: give --shard I/N"
            )
        }
        return try ShardPlace.legal("\(place) is \(number): ") { () throws(Shard.Fault) in
            try Shard((number - first) / step + 1, of: count)
        }
    }

    /// The number in a variable; nil when it is not set.
    fileprivate static func number(
        _ name: String,
        _ environment: [String: String]
    ) throws(Exit) -> Int? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard let number = Shard.number(text), number < 1 << 31 else {
            throw Exit(.usage, "\(name) is `\(text.onOneLine(limit: 40).text)`, which is no number")
        }
        return number
    }
}

extension ShardPlace.Number {
    fileprivate func value(_ environment: [String: String]) throws(Exit) -> Int? {
        switch self {
        case .fixed(let number): number
        case .variable(let name): try ShardPlace.Engine.number(name, environment)
        }
    }
}
