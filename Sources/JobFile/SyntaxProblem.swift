internal import Diagnostics

/// libyaml's complaint in words for the people who write job files.
struct SyntaxProblem {
    let diagnostic: Diagnostic

    init(_ problem: EventReader.Problem, in source: SourceText) {
        var notes: [Diagnostic.Note] = []
        if let context = problem.context {
            notes.append(.init(context, at: problem.contextMark.point))
        }
        diagnostic = Diagnostic(
            code: "yaml.syntax",
            problem.message,
            at: problem.mark.point,
            notes: notes
        )
    }
}
