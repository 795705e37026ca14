import JobFile
import Testing

@testable import Plan

@Suite struct RowCursorTests {
    private func source(_ count: Int) throws -> (RowSource, MemoryFile) {
        let rows = (0..<count).map { "\($0),\"v\n\($0)\"\n" }
        let file = MemoryFile("id,value\n" + rows.joined(separator: "\n"))
        var scan = DataScan(file, .csv, name: "rows.csv", asked: "csv")
        scan.run(shownFaults: 20)
        #expect(scan.faults.isEmpty)
        let data = DataRows(
            file: file,
            name: "rows.csv",
            format: .csv,
            columns: try #require(scan.columns),
            index: scan.index
        )
        let document = try #require(Document.parse(Array("a: b".utf8), name: "a").document)
        let field = Field(name: "csv", key: document.root, node: document.root)
        return (RowSource(.data(data), key: nil, field: field), file)
    }

    private func fields(_ row: Row) -> [String] {
        if case .record(_, let fields) = row { fields } else { [] }
    }

    @Test func `any row is found, in order and in none`() throws {
        let (source, _) = try source(1000)
        #expect(source.count == 1000)
        var cursor = RowCursor(source)
        let orders = [Array(0..<1000), (0..<1000).reversed(), (0..<1000).map { $0 * 377 % 1000 }]
        for order in orders {
            let rows = try order.map { fields(try cursor.row(at: $0)) }
            #expect(rows == order.map { ["\($0)", "v\n\($0)"] })
        }
    }

    @Test func `one place covers many rows, and few bytes are read for one row`() throws {
        let (source, file) = try source(100_000)
        guard case .data(let data) = source.form else { return }
        #expect(data.index.blocks.count <= 100_000 / 64 + 1)
        let before = file.largestRead
        let (_, rows, bytes) = data.index.block(of: 99_999)
        #expect(rows.contains(99_999) && rows.count <= 64)
        #expect(bytes.count <= 16 << 10 && bytes.count < before)
    }

    @Test func `a row's line number counts empty and quoted lines`() throws {
        let (source, _) = try source(200)
        guard case .data(let data) = source.form else { return }
        #expect(data.text(of: 0)?.line == 2)
        #expect(data.text(of: 1)?.line == 5)
        #expect(data.text(of: 199)?.line == 2 + 199 * 3)
        #expect(data.text(of: 199).map { Array($0.text) } == Array("199,\"v\n199\"".utf8))
    }

    @Test func `no row of a changed file is used`() throws {
        let (source, file) = try source(10)
        file.change()
        var cursor = RowCursor(source)
        #expect(throws: DataRows.Failure.changed) { try cursor.row(at: 3) }
    }
}
