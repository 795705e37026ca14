import TestSupport

/// Makes commands and replies of FTP, the same for the same seed: mostly right ones, some wrong
/// ones, and changes of earlier inputs.
struct ReplyLines {
    private var random: SplitMix64
    /// Inputs whose answers were new.
    private var corpus: [[UInt8]] = []
    private var corpusSize = 0
    private var answers: Set<String> = []

    /// The corpus must leave the memory of a trial visible.
    private static let largestCorpus = 16 << 20
    private static let largestKept = 64 << 10
    private static let largestInput = 256 << 10
    private static let commands = [
        "USER me", "PASS s3cret", "PWD", "CWD a", "EPSV", "TYPE I", "SIZE a.bin", "SIZE ", "SIZE",
        "size a", "MDTM a.bin", "REST 5", "RETR a.bin", "STOR b", "RNFR b", "RNTO c", "QUIT", "",
    ]
    private static let texts = [
        "ok", "", "12", "0", "4096", "999999999999999999", "1000000000000000000", "-1", "1e9",
        "12 ",
        "20260102030405", "Entering Extended Passive Mode (|||6446|)", "12\t", "no such file",
        "\u{1B}[31mred", "é\u{202E}", "\u{0}", "  two  words  ",
    ]
    private static let codes = [
        "110", "125", "150", "200", "211", "213", "220", "226", "229", "230", "250", "257", "331",
        "350", "421", "425", "426", "450", "500", "502", "530", "550", "553", "099", "600", "000",
        "2", "21", "2130", "²13", "abc", "",
    ]
    private static let separators = [" ", " ", " ", "-", "", "\t", "  "]
    private static let ends = ["\r\n", "\r\n", "\r\n", "\n", "\r", ""]

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
        default: bytes = exchange()
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        }
        return Array(bytes.prefix(Self.largestInput))
    }

    private mutating func exchange() -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            if Bool.random(using: &random) {
                text += ">" + pick(Self.commands) + "\r\n"
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                text += pick(Self.codes) + pick(Self.separators) + self.text() + pick(Self.ends)
            }
        }
        return Array(text.utf8)
    }

    private mutating func text() -> String {
        guard Int.random(in: 0..<30, using: &random) == 0 else { return pick(Self.texts) }
        return String(repeating: pick(Self.texts), count: Int.random(in: 1...3000, using: &random))
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    private mutating func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Changes, adds, removes or repeats a few bytes.
    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = randomBytes(10) }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(contentsOf: randomBytes(3), at: place)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        default: bytes.insert(contentsOf: Array(pick(Self.texts).utf8), at: place)
        }
    }
}
