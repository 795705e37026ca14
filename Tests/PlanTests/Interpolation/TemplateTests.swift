import Testing

@testable import Plan

@Suite struct TemplateTests {
    /// The pieces in a form that is easy to compare: `[namespace name rule]` for an expression.
    private func pieces(_ text: String) -> [String] {
        Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): literal
            case .expression(let expression):
                "[\(expression.namespace) \(expression.name) \(expression.rule)]"
            }
        }
    }

    @Test(arguments: [
        ("", []),
        ("plain $ {x} $x", ["plain $ {x} $x"]),
        ("${env.A}", ["[env A required]"]),
        ("a${var.b-c}d", ["a", "[var b-c required]", "d"]),
        ("${env.A}${env.B}", ["[env A required]", "[env B required]"]),
        ("${env.A:-x y}", ["[env A fallback(\"x y\")]"]),
        ("${env.A:-}", ["[env A fallback(\"\")]"]),
        ("${env.A:?why}", ["[env A reason(\"why\")]"]),
        ("$${env.A}", ["${env.A}"]),
        ("$$${env.A}", ["$${env.A}"]),
        ("a$${b}${env.C}", ["a${b}", "[env C required]"]),
        ("é${env.A}ü", ["é", "[env A required]", "ü"]),
        ("$", ["$"]),
        ("$$", ["$$"]),
        ("{}", ["{}"]),
    ])
    func `a text is split at its expressions`(text: String, expected: [String]) {
        #expect(pieces(text) == expected)
        #expect(Template(text).faults.isEmpty)
    }

    @Test(arguments: [
        ("${", 0..<2), ("a${env.A", 1..<8), ("é${x}", 2..<6), ("${env.1}", 0..<8),
        ("${env.A }", 0..<9),
        ("${ env.A}", 0..<9), ("${env.é}", 0..<9),
    ])
    func `a fault has the place of its expression`(text: String, range: Range<Int>) {
        let faults = Template(text).faults
        #expect(faults.map(\.range) == [range])
        #expect(faults.map(\.fault.code) == [.badExpression])
    }
}
