import SystemKit
import Testing

@Suite struct TerminalTraitsTests {
    private func traits(
        isTerminal: Bool = true,
        size: (columns: Int, rows: Int)? = (100, 30),
        _ environment: [String: String] = [:]
    ) -> TerminalTraits {
        let usual = ["TERM": "xterm", "LANG": "de_DE.UTF-8"]
        let all = usual.merging(environment) { $1 }
        return TerminalTraits(isTerminal: isTerminal, size: size) { all[$0] }
    }

    @Test func `a terminal redraws in colour and a pipe does neither`() {
        let terminal = TerminalTraits(
            isTerminal: true,
            canRedraw: true,
            usesColor: true,
            columns: 100,
            rows: 30
        )
        #expect(traits() == terminal)
        #expect(
            traits(isTerminal: false, size: nil)
                == TerminalTraits(canRedraw: false, usesColor: false)
        )
    }

    @Test func `a dumb terminal gets plain lines`() {
        #expect(!traits(["TERM": "dumb"]).canRedraw)
        #expect(!traits(["TERM": "dumb"]).usesColor)
        #expect(traits(["TERM": "dumb"]).isTerminal)
        #expect(traits(["TERM": "xterm"]).canRedraw)
    }

    @Test func `a terminal without a type gets plain lines`() {
        #expect(!traits(["TERM": ""]).canRedraw)
        let bare = TerminalTraits(isTerminal: true, size: nil) { _ in nil }
        #expect(!bare.canRedraw && !bare.usesColor && bare.isASCII)
    }

    @Test(
        arguments: [
            ([:], false), (["LANG": "C"], true), (["LANG": ""], true), (["LC_ALL": "C"], true),
            (["LC_CTYPE": "POSIX"], true), (["LANG": "C", "LC_CTYPE": "C.utf8"], false),
            (["LC_ALL": "", "LC_CTYPE": "de_DE.ISO-8859-1"], true),
        ] as [([String: String], Bool)]
    )
    func `the locale decides on ASCII, on terminals only`(
        environment: [String: String],
        isASCII: Bool
    ) {
        #expect(traits(environment).isASCII == isASCII)
        #expect(!traits(isTerminal: false, environment).isASCII)
    }

    @Test(
        arguments: [
            (["NO_COLOR": "1"], true, false), (["NO_COLOR": ""], true, true),
            (["CLICOLOR_FORCE": "1"], false, true), (["CLICOLOR_FORCE": "0"], false, false),
            (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false),
        ] as [([String: String], Bool, Bool)]
    )
    func `the environment decides on colour`(
        environment: [String: String],
        isTerminal: Bool,
        usesColor: Bool
    ) {
        #expect(traits(isTerminal: isTerminal, environment).usesColor == usesColor)
    }

    @Test(
        arguments: [
            (["COLUMNS": "40", "LINES": "10"], 40, 10), (["COLUMNS": "0"], 100, 30),
            (["COLUMNS": "-3", "LINES": "many"], 100, 30),
            (["COLUMNS": "99999999999999999999"], 100, 30),
        ] as [([String: String], Int, Int)]
    )
    func `the environment's size counts when it is one`(
        environment: [String: String],
        columns: Int,
        rows: Int
    ) {
        #expect(traits(environment).columns == columns)
        #expect(traits(environment).rows == rows)
    }

    @Test func `a terminal of unknown size counts as the usual one`() {
        #expect(traits(size: (0, 0)).columns == 80)
        #expect(traits(size: nil).rows == 24)
    }
}
