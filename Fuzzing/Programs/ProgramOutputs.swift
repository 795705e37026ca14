import TestSupport

/// Makes output of programs, the same for the same seed: mostly right messages, some wrong ones,
/// and changes of earlier inputs.
struct ProgramOutputs {
    private var random: SplitMix64
    /// Inputs whose answers were new.
    private var corpus: [[UInt8]] = []
    private var corpusSize = 0
    private var answers: Set<String> = []

    /// The corpus must leave the memory of a trial visible.
    private static let largestCorpus = 16 << 20
    private static let largestKept = 64 << 10
    private static let largestInput = 256 << 10
    private static let values = [
        "0", "1", "2", "-1", "200", "204", "302", "404", "599", "600", "1048576", "1048577",
        "9223372036854775807", "9223372036854775808", "1e3", "2.0", "null", "true", "false",
        #""""#, #""notes://desk/a""#, #""reset""#, #""connect""#, #""GET""#, #""a\u0000b""#,
        #""\ud83d\ude80""#, #""\ud800""#, "[]", "{}", "[[[[]]]]",
        #"[{"name":"A","value":"b"}]"#, #"[{"name":"A b","value":"b"}]"#,
        #"[{"name":"A","value":"b\r\nC: d"}]"#, #"[{"name":"A"}]"#,
    ]
    private static let names = [
        "message", "version", "statusCode", "headers", "expectedContentLength", "length", "url",
        "kind", "detail", "isPermanent", "body", "x",
    ]
    private static let messages = [
        #"{"message":"finish"}"#,
        #"{"message":"cancel"}"#,
        #"{"message":"response","version":1,"statusCode":200}"#,
        #"{"message":"response","version":1,"statusCode":404,"expectedContentLength":null}"#,
        #"{"message":"response","version":1,"statusCode":200,"headers":[{"name":"A","value":"é"}]}"#,
        #"{"message":"redirect","version":1,"statusCode":302,"url":"notes://desk/b"}"#,
        #"{"message":"fail","version":1,"kind":"connect","detail":"no"}"#,
        #"{"message":"fail","version":1,"kind":"reset","detail":"no","isPermanent":true}"#,
        #"{"message":"fail","version":2,"kind":"reset","detail":"no"}"#,
    ]
    private static let lengths = [1, 2, 3, 20, 300, 4096, 65536, 65537]

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
        default: bytes = conversation()
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        }
        return Array(bytes.prefix(Self.largestInput))
    }

    // MARK: Messages

    /// A right response, most of the time.
    private mutating func conversation() -> [UInt8] {
        if Int.random(in: 0..<4, using: &random) == 0 { return message() + message() }
        var pieces: [[UInt8]] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let most = Self.lengths.randomElement(using: &random) ?? 1
            pieces.append(randomBytes(Int.random(in: 1...most, using: &random)))
        }
        let sum = pieces.reduce(0) { $0 + $1.count }
        let length = [nil, sum, sum, sum + 1, max(0, sum - 1)].randomElement(using: &random) ?? nil
        var text = #"{"message":"response","version":1,"statusCode":200"#
        if let length { text += #","expectedContentLength":\#(length)"# }
        var bytes = Array((text + "}\n").utf8)
        for piece in pieces { bytes += Self.data(piece) }
        if Int.random(in: 0..<5, using: &random) > 0 { bytes += message(0) }
        if Int.random(in: 0..<8, using: &random) == 0 { bytes += message() }
        return bytes
    }

    private static func data(_ piece: [UInt8]) -> [UInt8] {
        Array("{\"message\":\"data\",\"length\":\(piece.count)}\n".utf8) + piece
    }

    private mutating func message(_ number: Int? = nil) -> [UInt8] {
        let index = number ?? Int.random(in: 0...Self.messages.count, using: &random)
        if Self.messages.indices.contains(index) {
            return Array((Self.messages[index] + "\n").utf8)
        }
        // An object of any members.
        var members: [String] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let name = Self.names.randomElement(using: &random) ?? ""
            members.append("\"\(name)\":\(Self.values.randomElement(using: &random) ?? "")")
        }
        return Array(("{" + members.joined(separator: ",") + "}\n").utf8)
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
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where place < bytes.count:
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 5: bytes.insert(contentsOf: message(), at: place)
        case 6: bytes += corpus.randomElement(using: &random) ?? []
        case 7:
            let value = Self.values.randomElement(using: &random) ?? ""
            bytes.insert(contentsOf: value.utf8, at: place)
        default: bytes.insert(contentsOf: randomBytes(end - place), at: place)
        }
    }
}
