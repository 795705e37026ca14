import Testing

@testable import Plan

@Suite struct PlaceholderTests {
    private static func isKnown(_ name: String) -> Bool { name == "region" || name == "top" }

    /// The placeholders of a text, each with the expression that was probably meant.
    private func found(_ text: String) -> [String] {
        var result: [String] = []
        var start = 0
        while let next = Placeholder.first(in: text, from: start, isKnown: Self.isKnown) {
            let likely = next.likely(isKnown: Self.isKnown) ?? "?"
            result.append("\(text.slice(next.range)) \(likely)")
            start = next.range.upperBound
        }
        return result
    }

    @Test(
        arguments: [
            ("{{region}}", ["{{region}} ${var.region}"]),
            ("{{ HOST }}/{{host}}", ["{{ HOST }} ${env.HOST}", "{{host}} ${var.host}"]),
            ("{{ .Env.host }}", ["{{ .Env.host }} ${env.host}"]),
            ("{{vars.a-b}}", ["{{vars.a-b}} ${var.a-b}"]),
            ("{{ a | upper }}", ["{{ a | upper }} ?"]),
            ("{{}}", ["{{}} ?"]),
            ("$HOME/$(A_B)", ["$HOME ${env.HOME}", "$(A_B) ${env.A_B}"]),
            ("$(date +%F)", ["$(date +%F) ${run.date}"]),
            ("$(date)/{{date}}", ["$(date) ${run.date}", "{{date}} ${var.date}"]),
            ("é$HOMEé", ["$HOME ${env.HOME}"]),
            ("a$region", ["$region ${var.region}"]),
        ] as [(String, [String])]
    )
    func `placeholders of other tools are found`(text: String, expected: [String]) {
        #expect(found(text) == expected)
    }

    @Test(arguments: [
        "", "$", "{{", "}}", "$(", "{{ no end", "{{ no\nend }}", "$5", "$A", "$filter=x", "$Home",
        "$$HOME",
        "$${HOME}", "$${{", "${env.HOME}", "${env.A:-$HOME}", "${open $HOME", "{region}", "a{b{c",
        "$é",
    ])
    func `plain text is no placeholder of other tools`(text: String) {
        #expect(found(text).isEmpty)
    }

    @Test func `marks that are far apart are no pair`() {
        let name = String(repeating: "a", count: 79)
        #expect(found("{{\(name)}}").isEmpty)
        #expect(found("$(\(name))") == ["$(\(name)) ${var.\(name)}"])
        #expect(found("$(\(name)a)").isEmpty)
    }
}
