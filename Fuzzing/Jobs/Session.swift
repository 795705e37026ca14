import SystemKit
import TestSupport

/// A row of trials: what they took and what came of them.
struct Session {
    let folder: Folder
    let seed: UInt64
    /// The most memory that was used before the first trial.
    let baseMemory: Int64
    private(set) var faultCount = 0
    private var count = 0
    private var byteCount = 0
    private var longest: Int64 = 0
    private var peak: Int64

    private static let largestTime: Int64 = 1_000_000_000
    /// The slowest input is kept when it took longer than this.
    private static let notableTime: Int64 = 100_000_000

    init(folder: Folder, seed: UInt64, baseMemory: Int64) {
        self.folder = folder
        self.seed = seed
        self.baseMemory = baseMemory
        peak = baseMemory
    }

    /// Writes an input to its file, tries it, and keeps the file when something is wrong.
    mutating func run(_ input: [UInt8], _ corpus: inout Corpus) throws(SystemError) {
        try write(input, as: "\(seed).yaml")
        ResourceUse.killProcess(afterSeconds: 60)
        let before = ResourceUse.ofProcess()
        var trial = Trial(input)
        let after = ResourceUse.ofProcess()
        trial.checkOutputs()
        corpus.note(input, answer: trial.answer)

        count += 1
        byteCount += input.count
        let time = after.cpuNanoseconds - before.cpuNanoseconds
        if time > max(longest, Self.notableTime) { try write(input, as: "\(seed)-slowest.yaml") }
        longest = max(longest, time)
        var faults = trial.faults
        if time > Self.largestTime { faults.append("it took \(time / 1_000_000) ms") }
        // The peak of a process never falls: only an input that raises it can be blamed.
        let bound = Int64(input.count) * 10 + (64 << 20)
        if after.peakMemory > peak, after.peakMemory - baseMemory > bound {
            faults.append("it took \((after.peakMemory - baseMemory) >> 20) MiB")
        }
        peak = max(peak, after.peakMemory)
        guard !faults.isEmpty else { return }
        faultCount += 1
        let name = "\(seed)-\(count).yaml"
        try write(input, as: name)
        print("\(folder.path)/\(name): \(faults.joined(separator: "; "))")
    }

    func summary(_ corpus: Corpus) -> String {
        "seed \(seed): \(count) inputs, \(byteCount >> 20) MiB, \(corpus.answerCount) different answers, "
            + "longest \(longest / 1_000_000) ms, memory \((peak - baseMemory) >> 20) MiB above the start, "
            + "\(faultCount) faults"
    }

    private func write(_ input: [UInt8], as name: String) throws(SystemError) {
        let file = try OutputFile(in: folder, name: name)
        try file.write(input.span)
        try file.publish(replacing: true)
    }
}
