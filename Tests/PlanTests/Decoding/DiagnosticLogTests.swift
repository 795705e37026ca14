import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct DiagnosticLogTests {
    private func error(_ message: String, notes: [Diagnostic.Note] = []) -> Diagnostic {
        Diagnostic(.error, .badValue, message, at: place, notes: notes)
    }

    private var place: SourceRange { SourceRange(SourcePosition(line: 1, column: 1)) }

    @Test func `a full log says so once and takes no further error`() {
        var log = DiagnosticLog(showsWarnings: true)
        for number in 0...DocumentLimits.diagnostics { log.add(error("fault \(number)")) }
        #expect(log.isFull)
        #expect(log.errorCount == DocumentLimits.diagnostics)
        #expect(log.diagnostics.count == DocumentLimits.diagnostics + 1)
        #expect(log.diagnostics.last?.code == JobCode.tooManyFaults.rawValue)
    }

    @Test func `a log that tolerates the environment keeps its faults as warnings`() {
        var log = DiagnosticLog(showsWarnings: true)
        log.toleratesEnvironment = true
        log.add(Diagnostic(.error, .missingVariable, "not set", at: place))
        #expect(log.errorCount == 0)
        #expect(log.diagnostics.map(\.severity) == [.warning])
    }

    @Test func `a forgotten warning is not added again`() {
        var log = DiagnosticLog(showsWarnings: true)
        let warning = Diagnostic(.warning, .suspiciousPlaceholder, "doubtful", at: place)
        log.add(warning)
        log.forget()
        #expect(log.isEmpty)
        log.add(warning)
        #expect(log.isEmpty)
    }

    @Test func `a log that shows no warnings takes none`() {
        #expect(!DiagnosticLog(showsWarnings: false).takesWarnings)
        #expect(DiagnosticLog(showsWarnings: true).takesWarnings)
    }

    @Test func `the fault of several rows is one error that names the first four`() throws {
        var log = DiagnosticLog(showsWarnings: true)
        var known: [Diagnostic: Int] = [:]
        for row in 1...7 {
            let mark = log.mark
            log.add(error("too long"))
            log.addNote(.init("row \(row)"), since: mark, known: &known)
        }
        #expect(log.errorCount == 1)
        let diagnostic = try #require(log.diagnostics.first)
        #expect(log.diagnostics.count == 1)
        #expect(diagnostic.notes.map(\.message) == (1...4).map { "row \($0)" })
    }
}
