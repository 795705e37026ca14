internal import Diagnostics
internal import JobFile
internal import SystemKit

extension PlanBuilder {
    /// Bytes of a data file.
    private static let largestDataFile: Int64 = 1 << 30

    /// Faults of one data file, or rows of one group, that are listed.
    static let shownRows = 20

    /// Opens a data file and goes through it, once for all tasks that use it; nil after a fault.
    mutating func dataRows(_ format: DataFormat, _ path: PathValue, _ field: Field) -> DataRows? {
        let name = "\(format.rawValue) \(path.path)"
        if let known = dataFiles[name] { return known }
        dataPaths.append(path.path)
        let rows = scannedRows(format, path, field)
        dataFiles[name] = rows
        return rows
    }

    private mutating func scannedRows(
        _ format: DataFormat,
        _ path: PathValue,
        _ field: Field
    ) -> DataRows? {
        guard let file = options.dataFile(path.path) else {
            reader.report(
                .missingFile,
                "`\(field.name)`: the file `\(path.text)` cannot be opened",
                at: field.node
            )
            return nil
        }
        guard file.size <= Self.largestDataFile else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: the file `\(path.text)` is larger than 1 GiB",
                at: field.node
            )
            return nil
        }
        var scan = DataScan(file, format, name: dataFileName(path.text), asked: field.name)
        scan.run(shownFaults: Self.shownRows)
        for fault in scan.faults { reader.add(fault) }
        guard scan.faults.isEmpty else { return nil }
        guard file.isUnchanged else {
            reader.report(
                .missingFile,
                "`\(field.name)`: the file `\(path.text)` changes while it is read",
                at: field.node
            )
            return nil
        }
        return DataRows(
            file: file,
            name: scan.name,
            format: format,
            columns: scan.columns ?? [],
            index: scan.index
        )
    }

    /// A data file's name for messages: relative to where the job file's own name is.
    private func dataFileName(_ path: String) -> String {
        guard !path.hasBytePrefix("/"), let slash = document.name.lastByteIndex(of: "/") else {
            return path
        }
        return document.name[...slash] + path
    }
}
