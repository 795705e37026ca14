internal import JobFile
internal import SystemKit
internal import TransferModel

/// The keys of the rows of a data file, one after another, where they consist of bytes of their
/// rows.
///
/// Such a key goes into a hash without the values of its row, in a tenth of the time.
struct PlainKeys {
    private enum Part {
        case literal([UInt8])
        /// The whole row.
        case row
        /// The field of a number.
        case field(Int)
    }

    private let parts: [Part]
    private let file: any DataFile
    private var records: RecordReader

    /// The keys of the rows of a source; nil when each key needs the values of its row.
    init?(of source: RowSource, in document: Document) {
        guard case .data(let data) = source.form,
            let parts = Self.parts(of: source, data, document)
        else { return nil }
        self.parts = parts
        file = data.file
        records = RecordReader(data.file, data.format)
        if data.format == .csv { _ = try? records.next() }
    }

    /// Whether the file is unchanged since it was scanned, as far as its metadata tells.
    var isUnchanged: Bool { file.isUnchanged }

    private static func parts(
        of source: RowSource,
        _ data: DataRows,
        _ document: Document
    ) -> [Part]? {
        guard let key = source.key else {
            return part(of: data, column: source.keyColumn).map { [$0] }
        }
        let template = Template(document.text(of: key.node))
        guard template.faults.isEmpty else { return nil }
        var parts: [Part] = []
        for piece in template.pieces {
            switch piece {
            case .literal(let text): parts.append(.literal(Array(text.utf8)))
            case .expression(let item):
                let column = data.columns.firstIndex(of: item.name)
                guard item.namespace == .item, item.rule == .required, !item.isRaw,
                    data.format == .csv || item.name.isEmpty,
                    let part = part(of: data, column: column)
                else { return nil }
                parts.append(part)
            }
        }
        return parts
    }

    private static func part(of data: DataRows, column: Int?) -> Part? {
        switch data.format {
        case .csv: column.map { .field($0) }
        case .lines: .row
        case .jsonLines: nil
        }
    }

    /// Adds the key of the next row to the hash of the beginning of an id.
    ///
    /// Nil for a key with other characters than printable ASCII, and for an invalid one.
    mutating func nextHash(after start: ShardHash) -> ShardHash? {
        guard let row = try? records.next()?.content else { return nil }
        var hash = start
        var length = 0
        for part in parts {
            let isPlain =
                switch part {
                case .literal(let bytes): Self.append(bytes.span, &hash, &length)
                case .row: Self.append(row.span, &hash, &length)
                case .field(let number):
                    CSVRecord.plainField(number, of: row.span).map {
                        Self.append(row.span.extracting($0), &hash, &length)
                    } ?? false
                }
            guard isPlain else { return nil }
        }
        return (1...RowKey.longest).contains(length) ? hash : nil
    }

    /// Adds a part of a key if it is printable ASCII.
    private static func append(
        _ bytes: Span<UInt8>,
        _ hash: inout ShardHash,
        _ length: inout Int
    ) -> Bool {
        guard bytes.endOfPrintableASCII(from: 0) == bytes.count else { return false }
        hash.append(bytes)
        length += bytes.count
        return true
    }
}
