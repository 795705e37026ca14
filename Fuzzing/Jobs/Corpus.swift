import SystemKit

/// The inputs that others are made from: files at first, later also what was answered in a new way.
struct Corpus {
    private(set) var inputs: [[UInt8]] = []
    private var size = 0
    /// The answers that were seen, as the sorted codes of their diagnostics.
    private var answers: Set<String> = []

    /// What is kept must leave the memory of a trial visible.
    private static let largestSize = 16 << 20
    private static let largestInput = 64 << 10

    /// How many different answers there were.
    var answerCount: Int { answers.count }

    /// Reads the files that match the patterns.
    init(patterns: [String]) throws(SystemError) {
        for pattern in patterns {
            for path in try FilePattern.expand(pattern) {
                let bytes = try InputFile(path: path).readPrefix(limit: Self.largestSize)
                inputs.append(bytes)
                size += bytes.count
            }
        }
    }

    /// Keeps an input if nothing was answered in its way before.
    mutating func note(_ input: [UInt8], answer: String) {
        guard answers.insert(answer).inserted, input.count <= Self.largestInput,
            size + input.count <= Self.largestSize
        else { return }
        inputs.append(input)
        size += input.count
    }
}
