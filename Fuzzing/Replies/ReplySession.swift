import SystemKit
import TestSupport

/// A row of trials: the time and memory that they took and their faults.
struct ReplySession {
    let folder: Folder
    let seed: UInt64
    private(set) var faultCount = 0
    private var count = 0
    private var byteCount = 0
    private var replyCount = 0
    private var longest: Int64 = 0
    private let baseMemory = ResourceUse.ofProcess().peakMemory
    private var peak: Int64

    /// A trial reads its input some twenty times.
    private static let largestTime: Int64 = 2_000_000_000
    /// An input has at most a few hundred KiB.
    private static let largestMemory: Int64 = 64 << 20

    init(folder: Folder, seed: UInt64) {
        self.folder = folder
        self.seed = seed
        peak = baseMemory
    }

    /// Writes an input to its file, tries it, and keeps the file when something is wrong; returns
    /// the trial's answer.
    mutating func run(_ input: [UInt8]) throws(SystemError) -> String {
        try write(input, as: "\(seed).replies")
        ResourceUse.killProcess(afterSeconds: 60)
        let before = ResourceUse.ofProcess()
        let trial = ReplyTrial(input)
        let after = ResourceUse.ofProcess()
        count += 1
        byteCount += input.count
        replyCount += trial.replyCount
        let time = after.cpuNanoseconds - before.cpuNanoseconds
        longest = max(longest, time)
        var faults = trial.faults
        if time > Self.largestTime { faults.append("it took \(time / 1_000_000) ms") }
        // The peak of a process never falls: only an input that raises it can be blamed.
        if after.peakMemory > peak, after.peakMemory - baseMemory > Self.largestMemory {
            faults.append("it took \((after.peakMemory - baseMemory) >> 20) MiB")
        }
        peak = max(peak, after.peakMemory)
        if !faults.isEmpty {
            faultCount += 1
            let name = "\(seed)-\(count).replies"
            try write(input, as: name)
            print("\(folder.path)/\(name): \(faults.joined(separator: "; "))")
        }
        return trial.answer
    }

    var summary: String {
        "seed \(seed): \(count) inputs, \(byteCount >> 20) MiB, \(replyCount) replies, "
            + "longest \(longest / 1_000_000) ms, memory \((peak - baseMemory) >> 20) MiB above the "
            + "start, \(faultCount) faults"
    }

    private func write(_ input: [UInt8], as name: String) throws(SystemError) {
        let file = try OutputFile(in: folder, name: name)
        try file.write(input.span)
        try file.publish(replacing: true)
    }
}
