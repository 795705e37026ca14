internal import Diagnostics

/// Reads a data file from its beginning to its end, checks every row and notes the positions of the
/// rows.
struct DataScan {
    /// As messages name the file.
    let name: String
    private(set) var index = RowIndex()
    /// The header of a CSV file, once it was read.
    private(set) var columns: [String]?
    /// The faults, each with the text of its row.
    private(set) var faults: [FileDiagnostics] = []

    private let format: DataFormat
    private var records: RecordReader
    /// The key of `forEach` that asks for the file.
    private let asked: String

    init(_ file: any DataFile, _ format: DataFormat, name: String, asked: String) {
        self.format = format
        self.name = name
        self.asked = asked
        records = RecordReader(file, format)
    }

    /// Reads until the end, or until there are so many faults, or more rows than a job may have
    /// tasks.
    mutating func run(shownFaults: Int) {
        // After a faulty header every row would be one more fault.
        while faults.count < shownFaults, index.count <= TaskList.mostTasks,
            faults.isEmpty || columns != nil || format != .csv
        {
            do {
                guard let record = try records.next() else { break }
                take(record)
            } catch {
                return add(error, line: records.line, text: records.excerpt)
            }
        }
        if faults.count == shownFaults {
            faults[shownFaults - 1].append(note: "further rows were not read")
        }
        if format == .csv, columns == nil, faults.isEmpty {
            add(RowFault("the file has no header row", at: 0), line: 1, text: [])
        }
    }

    private mutating func take(_ record: RecordReader.Record) {
        do {
            if format == .csv, columns == nil {
                columns = try header(record.content)
                return
            }
            if record.plainFields == nil || record.plainFields != columns?.count {
                try format.check(record.content, columns: columns ?? [])
            }
            index.append(record.range, line: record.line)
        } catch {
            add(error, line: record.line, text: record.content)
        }
    }

    private func header(_ content: ArraySlice<UInt8>) throws(RowFault) -> [String] {
        let names = try CSVRecord.fields(of: content.span)
        var known: Set<String> = []
        for (number, name) in names.enumerated()
        where !name.isEmpty && !known.insert(name).inserted {
            throw RowFault(
                "duplicate column `\(name.excerpt)` in the header",
                at: try CSVRecord.start(of: number, in: content.span)
            )
        }
        return names
    }

    private mutating func add(_ fault: RowFault, line: Int, text: ArraySlice<UInt8>) {
        let source = SourceText(name: name, bytes: Array(text), firstLine: line)
        let before = text.prefix(fault.offset)
        let lastLine = before.lastIndex(of: 10).map { before[($0 + 1)...] } ?? before
        let column = lastLine.count { $0 & 0xC0 != 0x80 } + 1
        let place = SourcePosition(line: line + before.count { $0 == 10 }, column: column)
        let diagnostic = Diagnostic(
            .error,
            .badRow,
            "`\(asked)`: \(fault.message)",
            at: SourceRange(place),
            help: fault.help
        )
        faults.append(
            FileDiagnostics(showing: diagnostic, ofRow: source)
        )
    }
}
