import Diagnostics
import Testing

@testable import Plan

@Suite struct DataScanTests {
    private func faults(_ text: String) -> [String] {
        var scan = DataScan(MemoryFile(text), .csv, name: "rows.csv", asked: "csv")
        scan.run(shownFaults: 20)
        return scan.faults.map { report in
            let lines = report.diagnostics.map { "\($0.range.start.line): \($0.message)" }
            return "\(lines.joined()) | \(String(decoding: report.source.bytes, as: UTF8.self))"
        }
    }

    @Test func `a quote that is never closed is shown where the row begins`() {
        let rest = String(repeating: "x, \"\"1\"\"\n", count: 200_000)
        #expect(
            faults("id,q\n1,x\n\n2,\"open\n" + rest) == [
                "4: `csv`: the row is longer than 1 MiB | 2,\"open"
            ]
        )
    }

    @Test func `a long line is cut between two characters`() {
        let found = faults("id\n\"" + String(repeating: "é", count: 1 << 20))
        let shown = "\"" + String(repeating: "é", count: 511)
        #expect(found == ["2: `csv`: the row is longer than 1 MiB | " + shown])
    }

    @Test func `a file whose lines end with CR is refused at the first of them`() {
        let message = "`csv`: a carriage return is inside a field without quotes"
        #expect(faults("a,b\r1,2\r") == ["1: \(message) | a,b\r1,2"])
        #expect(faults("a,b\r\n1,2\r") == [])
    }
}
