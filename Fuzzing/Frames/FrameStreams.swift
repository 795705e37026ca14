import TestSupport

/// Makes bytes of servers, the same ones for the same seed: mostly right frames, some wrong ones,
/// and changes of earlier inputs.
struct FrameStreams {
    private var random: SplitMix64
    /// Inputs whose answers were new.
    private var corpus: [[UInt8]] = []
    private var corpusSize = 0
    private var answers: Set<String> = []
    /// The opcode of the open message; nil between messages.
    private var openMessage: UInt8?

    /// The corpus must leave the memory of a trial visible.
    private static let largestCorpus = 16 << 20
    private static let largestKept = 64 << 10
    private static let largestInput = 256 << 10
    private static let lengths = [0, 0, 1, 2, 3, 5, 20, 124, 125, 126, 127, 300, 4096, 4097]
    private static let longLengths = [65535, 65536, 65537]
    private static let closeCodes: [UInt16] = [
        0, 999, 1000, 1001, 1004, 1005, 1006, 1007, 1014, 1015, 1016, 2999, 3000, 4999, 5000, 65535,
    ]
    private static let text = Array("aé日🚀\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{FFFF}\u{10FFFF}".utf8)
    /// Sequences at and beyond the edges of UTF-8 (RFC 3629 §4).
    private static let edgeTexts: [[UInt8]] = [
        [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xE0, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE0, 0xA0], [0xED, 0x9F, 0xBF], [0xED, 0xA0], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xF0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90], [0xF4, 0x8F], [0xF4, 0x90], [0xF5],
        [0xFF],
    ]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// How many different answers there were.
    var answerCount: Int { answers.count }

    /// Keeps an input if no earlier one had its answer.
    mutating func note(_ input: [UInt8], answer: String) {
        guard answers.insert(answer).inserted, input.count <= Self.largestKept,
            corpusSize + input.count <= Self.largestCorpus
        else { return }
        corpus.append(input)
        corpusSize += input.count
    }

    /// The next input.
    mutating func makeInput() -> [UInt8] {
        var bytes: [UInt8]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: bytes = randomBytes(Int.random(in: 0...300, using: &random))
        case 1...4: bytes = corpus.randomElement(using: &random) ?? []
        default: bytes = frames()
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        }
        return Array(bytes.prefix(Self.largestInput))
    }

    // MARK: Frames

    private mutating func frames() -> [UInt8] {
        openMessage = nil
        let isFlood = Int.random(in: 0..<200, using: &random) == 0
        let count = isFlood ? 1000 : Int.random(in: 1...12, using: &random)
        return (0..<count).flatMap { _ in
            isFlood ? ServerFrame.make(ServerFrame.ping, randomBytes(125)) : frame()
        }
    }

    private mutating func frame() -> [UInt8] {
        let isWrong = Int.random(in: 0..<40, using: &random) == 0
        guard !isWrong else { return wrongFrame() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return ServerFrame.make(ServerFrame.ping, controlPayload())
        case 1: return ServerFrame.make(ServerFrame.pong, controlPayload())
        case 2 where Int.random(in: 0..<4, using: &random) == 0: return closeFrame()
        default: return dataFrame()
        }
    }

    private mutating func dataFrame() -> [UInt8] {
        let isFinal = Bool.random(using: &random)
        let opcode = openMessage == nil ? UInt8.random(in: 1...2, using: &random) : 0
        let kind = openMessage ?? opcode
        openMessage = isFinal ? nil : kind
        let isLong = Int.random(in: 0..<50, using: &random) == 0
        let length = (isLong ? Self.longLengths : Self.lengths).randomElement(using: &random) ?? 0
        let payload = kind == 1 ? textBytes(length) : randomBytes(length)
        return ServerFrame.make(opcode, payload, isFinal: isFinal)
    }

    private mutating func wrongFrame() -> [UInt8] {
        guard Bool.random(using: &random) else { return frameOfAnyLength() }
        return ServerFrame.make(
            UInt8.random(in: 0...15, using: &random),
            randomBytes(Int.random(in: 0...130, using: &random)),
            isFinal: Bool.random(using: &random),
            reserved: Int.random(in: 0..<4, using: &random) == 0
                ? UInt8.random(in: 0...7, using: &random) : 0,
            lengthBytes: [nil, nil, 2, 8].randomElement(using: &random) ?? nil
        )
    }

    /// A header with an extended length of extreme bytes, and some payload.
    private mutating func frameOfAnyLength() -> [UInt8] {
        let isLong = Bool.random(using: &random)
        let first = ([0x01, 0x02, 0x81, 0x82, 0x80] as [UInt8]).randomElement(using: &random) ?? 0
        let edges: [UInt8] = [0, 0, 0, 1, 0x7D, 0x7F, 0x80, 0xFF]
        let length = (0..<(isLong ? 8 : 2)).map { _ in edges.randomElement(using: &random) ?? 0 }
        return [first, isLong ? 127 : 126] + length + randomBytes(Int(length.last ?? 0))
    }

    private mutating func closeFrame() -> [UInt8] {
        guard Int.random(in: 0..<4, using: &random) > 0 else {
            return ServerFrame.make(
                ServerFrame.close,
                randomBytes(Int.random(in: 0...2, using: &random))
            )
        }
        let code = Self.closeCodes.randomElement(using: &random) ?? 1000
        let reason = textBytes(Int.random(in: 0...123, using: &random))
        return ServerFrame.make(
            ServerFrame.close,
            [UInt8(code >> 8), UInt8(code & 0xFF)] + reason
        )
    }

    private mutating func controlPayload() -> [UInt8] {
        randomBytes([0, 1, 4, 125].randomElement(using: &random) ?? 0)
    }

    /// UTF-8 that may be cut inside of a character and sometimes has wrong bytes.
    private mutating func textBytes(_ length: Int) -> [UInt8] {
        let isASCII = Bool.random(using: &random)
        let start = Int.random(in: 0..<Self.text.count, using: &random)
        var bytes = (0..<length).map { index in
            isASCII ? UInt8(ascii: "a") : Self.text[(start + index) % Self.text.count]
        }
        // Most texts begin where a character begins.
        if !isASCII, Int.random(in: 0..<8, using: &random) > 0 {
            bytes = Array(bytes.drop { $0 & 0xC0 == 0x80 })
            while !bytes.isEmpty,
                String(validating: bytes.suffix(4).drop { $0 & 0xC0 == 0x80 }, as: UTF8.self) == nil
            {
                bytes.removeLast()
            }
        }
        if Int.random(in: 0..<10, using: &random) == 0,
            let edge = Self.edgeTexts.randomElement(using: &random)
        {
            bytes.insert(contentsOf: edge, at: Int.random(in: 0...bytes.count, using: &random))
        }
        return bytes
    }

    private mutating func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word = random.next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return bytes
    }

    // MARK: Changes

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...64, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where place < bytes.count:
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 5: bytes.insert(contentsOf: frames(), at: place)
        case 6: bytes += corpus.randomElement(using: &random) ?? []
        default: bytes.insert(contentsOf: randomBytes(end - place), at: place)
        }
    }
}
