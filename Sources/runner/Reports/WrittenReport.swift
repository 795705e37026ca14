import Report
import SystemKit
import TransferModel

/// The file of a written report; its faults end a command with the file's name.
struct WrittenReport {
    let path: String

    /// Reads the report; throws `Exit` for a file that is none.
    func read() throws -> ReportReader {
        try naming { try ReportReader(of: InputFile(path: path)) }
    }

    /// Calls `body`, and names the file in its faults.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let fault as ReportFault {
            throw Exit(.environment, "`\(path)` is no report of runner: \(fault.message)")
        } catch let lack as ReportDetail.Lack {
            throw Exit(.environment, "`\(path)` \(lack.message)")
        } catch let error as SystemError {
            throw Exit(.environment, error.message)
        }
    }

    /// Calls `body`, which reads several reports; names the file of a task that cannot be read.
    static func naming<Result>(
        _ files: [WrittenReport],
        _ reports: [ReportReader],
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let fault as ReportFault {
            // Another pass finds out which of them has the fault.
            for (file, report) in zip(files, reports) {
                try file.naming { try report.forEachTask { _ in } }
            }
            throw Exit(.environment, fault.message)
        } catch let error as SystemError {
            throw Exit(.environment, error.message)
        }
    }
}

extension ReportKind {
    /// The paths of files in documents for GitLab, whose jobs have the variable; nil elsewhere.
    static var gitLabPaths: RepositoryPaths? {
        let environment = ProcessContext.environment
        guard environment["GITLAB_CI"] == "true" else { return nil }
        return RepositoryPaths(
            environment: environment,
            workingFolder: ProcessContext.workingFolder
        )
    }
}
