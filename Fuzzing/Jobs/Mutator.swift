import TestSupport

/// Makes new job files from old ones, the same ones for the same seed.
struct Mutator {
    private var random: SplitMix64
    private static let largestOutput = 1 << 20

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// An input of the corpus after one to eight changes.
    mutating func makeInput(from corpus: Corpus) -> [UInt8] {
        var bytes = corpus.inputs.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            change(&bytes, corpus)
            if bytes.count > Self.largestOutput {
                bytes.removeLast(bytes.count - Self.largestOutput)
            }
        }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ corpus: Corpus) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: flipBit(in: &bytes)
        case 2: setByte(in: &bytes)
        case 3: bytes.removeSubrange(range(in: bytes, longest: 64))
        case 4: bytes.removeSubrange(place(in: bytes)...)
        case 5: repeatRange(of: &bytes)
        case 6...9: insertToken(into: &bytes)
        case 10, 11: splice(corpus.inputs.randomElement(using: &random) ?? [], into: &bytes)
        case 12, 13: changeLines(of: &bytes) { $0.swapAt($1, $2) }
        case 14, 15: changeLines(of: &bytes) { $0[$1] = $0[$2] }
        case 16: indentLine(of: &bytes)
        case 17: replaceScalar(in: &bytes)
        case 18: repeatLine(of: &bytes)
        default: insertStructure(into: &bytes)
        }
    }

    private mutating func place(in bytes: [UInt8]) -> Int {
        Int.random(in: 0...bytes.count, using: &random)
    }

    private mutating func range(in bytes: [UInt8], longest: Int) -> Range<Int> {
        let start = place(in: bytes)
        return start..<min(bytes.count, start + Int.random(in: 0...longest, using: &random))
    }

    private mutating func flipBit(in bytes: inout [UInt8]) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }

    private mutating func setByte(in bytes: inout [UInt8]) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        bytes[index] = UInt8.random(in: 0...255, using: &random)
    }

    private mutating func repeatRange(of bytes: inout [UInt8]) {
        let part = Array(bytes[range(in: bytes, longest: 256)])
        bytes.insert(contentsOf: part, at: place(in: bytes))
    }

    private mutating func insertToken(into bytes: inout [UInt8]) {
        guard let token = Tokens.all.randomElement(using: &random) else { return }
        bytes.insert(contentsOf: token.utf8, at: place(in: bytes))
    }

    /// Puts whole lines of another input between two lines.
    private mutating func splice(_ other: [UInt8], into bytes: inout [UInt8]) {
        let source = other.split(separator: 10, omittingEmptySubsequences: false)
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let start = Int.random(in: 0..<source.count, using: &random)
        let end = min(source.count, start + Int.random(in: 1...8, using: &random))
        lines.insert(
            contentsOf: source[start..<end],
            at: Int.random(in: 0...lines.count, using: &random)
        )
        bytes = Array(lines.joined(separator: [10]))
    }

    private mutating func changeLines(
        of bytes: inout [UInt8],
        _ body: (inout [ArraySlice<UInt8>], Int, Int) -> Void
    ) {
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let first = Int.random(in: 0..<lines.count, using: &random)
        let second = Int.random(in: 0..<lines.count, using: &random)
        body(&lines, first, second)
        bytes = Array(lines.joined(separator: [10]))
    }

    private mutating func indentLine(of bytes: inout [UInt8]) {
        let width = Int.random(in: 1...8, using: &random)
        let isDeeper = Bool.random(using: &random)
        changeLines(of: &bytes) { lines, index, _ in
            if isDeeper {
                lines[index] = ArraySlice([UInt8](repeating: 32, count: width) + lines[index])
            } else {
                lines[index] = lines[index].dropFirst(width)
            }
        }
    }

    /// Replaces what stands behind a colon.
    private mutating func replaceScalar(in bytes: inout [UInt8]) {
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard let colon = colons.randomElement(using: &random),
            let value = Tokens.values.randomElement(using: &random)
        else { return }
        let end = bytes[colon...].firstIndex { $0 == 10 || $0 == UInt8(ascii: ",") } ?? bytes.count
        bytes.replaceSubrange(colon..<end, with: Array(": \(value)".utf8))
    }

    private mutating func repeatLine(of bytes: inout [UInt8]) {
        let count = 1 << Int.random(in: 1...13, using: &random)
        changeLines(of: &bytes) { lines, index, _ in
            let line = lines[index]
            guard line.count * count <= Self.largestOutput else { return }
            lines.insert(contentsOf: repeatElement(line, count: count), at: index)
        }
    }

    /// What grows when it is read: nesting, aliases of aliases, long keys, many anchors.
    private mutating func insertStructure(into bytes: inout [UInt8]) {
        let count = Int.random(in: 1...200, using: &random)
        let fan = Int.random(in: 2...12, using: &random)
        let text =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: String(repeating: "[", count: count)
            case 1: String(repeating: "{ a: ", count: count)
            case 2: String(repeating: "- ", count: count)
            case 3: "\n" + (0..<count).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
            case 4: Self.aliasBomb(levels: min(count, 40), fan: fan)
            case 5: "\nx-long: \(String(repeating: "é", count: count * 50))\n"
            case 6: "\nx-many: [\((0..<count).map { "&a\($0) \($0)" }.joined(separator: ", "))]\n"
            case 7: unknownNames(count: count * 5)
            case 8: HostileShape.all.randomElement(using: &random)?.text(count: count * 50) ?? ""
            default: "\n? \(String(repeating: "k", count: count * 10))\n: |\n  text\n"
            }
        bytes.insert(contentsOf: text.utf8, at: place(in: bytes))
    }

    /// Tasks with long ids that need others which are not there: each asks for the nearest name.
    private mutating func unknownNames(count: Int) -> String {
        let tasks = (0..<count).map { _ in
            let names = (0..<2).map { _ in
                (0..<60).map { _ in Tokens.letters.randomElement(using: &random) ?? "a" }
            }
            return
                "  \(String(names[0])): { url: 'https://a.example/', needs: [\(String(names[1]))] }\n"
        }
        return "\nuploads:\n" + tasks.joined()
    }

    /// Each level stands for `fan` of the one before.
    private static func aliasBomb(levels: Int, fan: Int) -> String {
        var text =
            "\nx-bomb0: &b0 { k: [\(Array(repeating: "v", count: fan).joined(separator: ","))] }\n"
        for level in 1...max(1, levels) {
            let parts = Array(repeating: "*b\(level - 1)", count: fan).joined(separator: ", ")
            text += "x-bomb\(level): &b\(level) [\(parts)]\n"
        }
        return text
    }
}
