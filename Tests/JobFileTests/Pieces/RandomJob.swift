import TestSupport

/// Texts like large job files, with all in them that looks like an entry of a section and is none.
struct RandomJob {
    private var random: SplitMix64
    private var text = ""
    /// Names of anchors, one of them unknown.
    private var anchors = ["none"]

    static func text(seed: UInt64) -> String {
        var job = RandomJob(random: SplitMix64(seed: seed))
        return job.make()
    }

    private init(random: SplitMix64) {
        self.random = random
    }

    /// The same text with some bytes of it replaced, removed or written twice.
    static func damaged(_ text: String, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var bytes = Array(text.utf8)
        let signs = Array("\n\n  :-?#'\"[]{}&*!|>%@,\tx".utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = bytes.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = signs.randomElement(using: &random) ?? 0x20
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(signs.randomElement(using: &random) ?? 0x20, at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
            }
        }
        return bytes
    }

    private mutating func make() -> String {
        if isDrawn(1, of: 8) { text += "---\n" }
        for section in 0..<Int.random(in: 1...4, using: &random) { addSection(section) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            text = text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\r\n")
        case 1: text.removeLast()
        case 2: text += "...\n"
        case 3: text = "\u{FEFF}" + text
        default: break
        }
        return text
    }

    private mutating func addSection(_ number: Int) {
        let indent = String(repeating: " ", count: one(of: [2, 2, 2, 1, 3, 4]))
        switch Int.random(in: 0..<14, using: &random) {
        case 0: text += "notes-\(number): |\n  like: an entry\n  and: more\n\n  last\n"
        case 1: text += "notes-\(number): \"of lines\n  like: an entry\n  other: \"\n"
        case 2: text += "braces-\(number): { a: 1,\n  b: 2,\n  c: { d:\n  e } }\n"
        case 3: text += "?\n  key: 1\n  other: 2\n: value\n"
        case 4: text += "list-\(number):\n  - a: 1\n    b: 2\n  - c\n"
        case 5: text += "long-\(number): words\n  go on here\n  and there\n"
        default: break
        }
        let anchor = isDrawn(1, of: 10) ? " &section" : ""
        text += "section-\(number):\(anchor)\n"
        let start = Int.random(in: 0...3, using: &random)
        for entry in start..<start + Int.random(in: 0...14, using: &random) {
            addEntry("task-\(isDrawn(1, of: 40) ? 0 : entry)", indent: indent)
        }
    }

    private mutating func addEntry(_ name: String, indent: String) {
        if isDrawn(1, of: 8) {
            text += one(of: ["\n", "\(indent)# note: x\n", "# out\n", "   \n"])
        }
        let deeper = indent + one(of: ["  ", "  ", " ", "    "])
        switch Int.random(in: 0..<24, using: &random) {
        case 0: text += "\(indent)\"\(name)\": quoted\n"
        case 1: text += "\(indent)? \(name)\n\(indent): explicit\n"
        case 2: text += "\(indent)\(name): plain\n"
        case 3: text += "\(indent)\(name):\n"
        case 4: text += "\(indent)\(name): [a,\n\(indent)b: c,\n  d]\n"
        case 5: text += "\(indent)<<: { \(name): merged }\n"
        case 6: text += "\(indent)\(name): 'over\n\(indent)more: lines\n  x'\n"
        case 7: text += "\(indent)\(name): over\n\(deeper)more\n"
        case 8: text += "\(indent)größe-\(name): ü\u{85}\n"
        default:
            text += "\(indent)\(name):\n"
            for key in 0..<Int.random(in: 1...4, using: &random) {
                text += "\(deeper)key-\(key): \(value(behind: deeper))\n"
            }
        }
    }

    private mutating func value(behind indent: String) -> String {
        switch Int.random(in: 0..<26, using: &random) {
        case 0: return "|\n\(indent)  text: x\n\n\(indent)   more"
        case 1: return ">-\n\(indent)  folded\n\(indent)  lines\n"
        case 2: return "\"two\n  like: that\""
        case 3: return "{ a: [1,\n  2], b: ${x} }"
        case 4: return "\"\\u00e9 and ${y}\""
        case 5: return "'it''s'"
        case 6: return "日本 # comment"
        case 7: return one(of: ["!!str 12", "!!int 12", "!!int x", "!t x"])
        case 8:
            anchors.append("a\(anchors.count)")
            return "&a\(anchors.count - 1) { b: 1 }"
        case 9, 10: return "*\(one(of: anchors))"
        case 11: return "{ <<: *\(one(of: anchors)) }"
        case 12: return "\n\(indent)  deep:\n\(indent)    er: [x]"
        case 13: return "\n\(indent)- a: 1\n\(indent)  b: 2\n\(indent)- c"
        case 14: return ""
        case 15: return "{ a: 1, a: 2 }"
        case 16: return "plain\n\(indent)  words: "
        default: return "https://example.com/#\(Int.random(in: 0..<1_000, using: &random))"
        }
    }

    private mutating func isDrawn(_ count: Int, of all: Int) -> Bool {
        Int.random(in: 0..<all, using: &random) < count
    }

    private mutating func one<Element>(of choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
