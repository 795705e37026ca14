package import SystemKit

/// The files under names of peers that this run, and earlier runs of its job, wrote.
///
/// Any thread may ask and note. A call waits for the disk, and a moment for other runs of the job.
package protocol WrittenFileRecord: Sendable {
    /// Whether a run of the job wrote the file at a path, and it has not changed since.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - file: The present file.
    /// - Returns: false also when the note of the file is lost.
    func has(_ path: String, _ file: InputFile.Identity) -> Bool

    /// Notes a file that this run has written.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - file: The file under its final name.
    func note(_ path: String, _ file: InputFile.Identity)
}

extension WrittenFileRecord {
    /// Whether the regular file at a path is the job's own; false for a link.
    func hasFile(at path: String) -> Bool {
        InputFile.Identity(at: path).map { has(path, $0) } ?? false
    }
}
