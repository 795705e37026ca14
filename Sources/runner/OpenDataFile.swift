import Plan
import SystemKit

/// A data file of a job, open from the check to the end of the run, so that a replaced file has no
/// effect.
struct OpenDataFile: DataFile {
    private let file: InputFile

    init(path: String) throws(SystemError) { file = try InputFile(path: path) }

    var size: Int64 { file.identity.size }

    var isUnchanged: Bool { file.isUnchanged }

    func read(at offset: Int64, count: Int) -> [UInt8]? {
        try? file.read(at: offset, count: count)
    }
}
