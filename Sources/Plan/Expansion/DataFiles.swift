internal import Diagnostics
internal import JobFile
internal import SystemKit

/// The data files of a job: each is opened and scanned once for all tasks that use it.
struct DataFiles {
    /// The limit of a data file, bytes.
    private static let largestFile: Int64 = 1 << 30

    /// The most faults of one data file, or rows of one group, that are listed.
    static let shownRows = 20

    /// The scanned files, by format and path.
    private var scanned: [String: DataRows] = [:]
    /// The absolute paths of the files.
    private(set) var paths: [String] = []

    /// The rows of a file; nil after a fault, which `reader` collects.
    mutating func rows(
        _ format: DataFormat,
        _ path: PathValue,
        _ field: Field,
        _ options: PlanOptions,
        _ reader: inout Reader
    ) -> DataRows? {
        let name = "\(format.rawValue) \(path.path)"
        if let known = scanned[name] { return known }
        paths.append(path.path)
        let rows = Self.scan(format, path, field, options, &reader)
        scanned[name] = rows
        return rows
    }

    private static func scan(
        _ format: DataFormat,
        _ path: PathValue,
        _ field: Field,
        _ options: PlanOptions,
        _ reader: inout Reader
    ) -> DataRows? {
        guard let file = options.dataFile(path.path) else {
            reader.report(
                .missingFile,
                "`\(field.name)`: the file `\(path.text)` cannot be opened",
                at: field.node
            )
            return nil
        }
        guard file.size <= largestFile else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: the file `\(path.text)` is larger than 1 GiB",
                at: field.node
            )
            return nil
        }
        let name = shownName(path.text, beside: reader.document.name)
        var scan = DataScan(file, format, name: name, asked: field.name)
        scan.run(shownFaults: shownRows)
        for fault in scan.faults { reader.faults.log.add(fault) }
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

    /// The name of a file for messages: relative to the folder of the job file's own name.
    static func shownName(_ path: String, beside job: String) -> String {
        guard !path.hasBytePrefix("/"), let (folder, _) = job.cut(atLast: "/") else { return path }
        return "\(folder)/\(path)"
    }
}
