import SystemKit
import TransferModel

/// The folder for what outlives a run, private to its user.
struct StateFolder {
    /// nil when neither the command line nor the environment nor the user database names one.
    private let path: String?

    /// Chooses the folder: the command line's, else `$XDG_STATE_HOME/runner`, else `~/.local/state/runner`
    /// (XDG Base Directory Specification).
    init(chosen: String?, environment: [String: String]) {
        if let chosen {
            path = chosen
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = state + "/runner"
        } else {
            path = ProcessContext.homeFolder.map { $0 + "/.local/state/runner" }
        }
    }

    /// Where a job that names no report leaves it, its folder made.
    func reportPath(jobName: String) throws -> String {
        let advice = "name a report with --report, or a state folder with --state-dir"
        guard let path else { throw Exit(.environment, "there is no state folder: \(advice)") }
        do {
            _ = try Folder(path: path + "/reports", create: true, mode: 0o700)
        } catch {
            throw Exit(.environment, "\(error.message): \(advice)")
        }
        return path + "/reports/\(Self.fileName(jobName)).json"
    }

    /// A job's name as a file's: whatever could mean something to a path is an underscore.
    private static func fileName(_ jobName: String) -> String {
        let name = jobName.map { character in
            character.isLetter || character.isNumber || "-_".contains(character) ? character : "_"
        }
        let text = String(decoding: String(name).utf8.prefix(200), as: UTF8.self)
        return text.isEmpty ? "job" : text
    }
}
