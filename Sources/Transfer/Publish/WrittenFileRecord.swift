package import SystemKit

/// The files under names of peers, and the folders of archives, that this run, and earlier runs of
/// its job, wrote.
///
/// Any thread may ask and note. A note waits for the disk, and a moment for other runs of the job.
package protocol WrittenFileRecord: Sendable {
    /// Whether a task wrote the file at a path, in this run or an earlier one, and it has not
    /// changed since.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - file: The present file.
    ///   - task: The number of the task: no other task's peer may replace its file.
    /// - Returns: false also when the note of the file is lost.
    func has(_ path: String, _ file: InputFile.Identity, of task: Int) -> Bool

    /// Notes a file that this run has written.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - file: The file under its final name.
    ///   - task: The number of the task.
    func note(_ path: String, _ file: InputFile.Identity, of task: Int)

    /// Whether a task extracted the folder at a path, and nothing in it has changed since.
    ///
    /// - Parameters:
    ///   - path: An absolute path without a final slash.
    ///   - content: The present content.
    ///   - task: The number of the task.
    /// - Returns: false also when the note of the folder is lost.
    func has(_ path: String, _ content: FolderContent, of task: Int) -> Bool

    /// Notes a folder that this run has extracted.
    ///
    /// - Parameters:
    ///   - path: An absolute path without a final slash.
    ///   - content: The content.
    ///   - task: The number of the task.
    func note(_ path: String, _ content: FolderContent, of task: Int)
}

extension WrittenFileRecord {
    /// Whether the regular file at a path is the task's own; false for a link.
    func hasFile(at path: String, of task: Int) -> Bool {
        InputFile.Identity(at: path).map { has(path, $0, of: task) } ?? false
    }
}
