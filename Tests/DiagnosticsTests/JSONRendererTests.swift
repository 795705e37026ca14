import Diagnostics
import JSON
import Testing

@Suite struct JSONRendererTests {
    private let point = SourceRange(SourcePosition(line: 2, column: 3))

    private func json(_ reports: FileDiagnostics...) -> String {
        var writer = JSONWriter()
        JSONRenderer.write(reports, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func report(_ name: String, _ diagnostics: Diagnostic...) -> FileDiagnostics {
        FileDiagnostics(source: SourceText(name: name, bytes: []), diagnostics: diagnostics)
    }

    @Test func `no fault is an empty array`() {
        #expect(json(report("a.yaml"), report("b.yaml")) == "[]")
    }

    @Test func `absent members are null`() {
        let place = #"{"start":{"line":2,"column":3},"end":{"line":2,"column":3}}"#
        #expect(
            json(report("a.yaml", Diagnostic(.warning, code: "x.y", "m", at: point)))
                == #"[{"code":"x.y","severity":"warning","message":"m","file":"a.yaml","range":\#(place),"#
                + #""notes":[],"fixIt":null,"help":null}]"#
        )
    }

    @Test func `notes, the edit and the help are written out, files one after the other`() {
        let place = #"{"start":{"line":2,"column":3},"end":{"line":2,"column":3}}"#
        let fault = Diagnostic(
            code: "x.y",
            "say \"no\"",
            at: point,
            notes: [.init("n", at: point), .init("o")],
            help: "h",
            fixIt: .init(range: point, replacement: "r")
        )
        let text = json(report("a.yaml", fault), report("b.yaml", fault))
        #expect(text.contains(#""message":"say \"no\"","file":"a.yaml""#))
        #expect(
            text.contains(
                #""notes":[{"message":"n","range":\#(place)},{"message":"o","range":null}]"#
            )
        )
        #expect(
            text.contains(#""fixIt":{"range":\#(place),"replacement":"r"},"help":"h"},{"code""#)
        )
        #expect(text.contains(#""file":"b.yaml""#))
    }
}
