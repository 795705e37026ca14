import Diagnostics
import Plan
import Report
import SystemKit
import Transfer
import TransferModel

/// A run as the command line, the environment and the job file describe it.
struct RunRequest {
    /// The plan without the values of its secrets.
    let plan: Plan
    /// The job file, as on the command line.
    let jobPath: String
    /// The job file's content.
    let source: SourceText
    let failFast: Bool
    /// The path of the JSON report, which every run leaves.
    let reportPath: String
    /// Whether standard output gets the JSON report, too.
    let printsReport: Bool
    let progress: ProgressStyle
    let state: StateFolder
    /// How tasks were chosen; nil for all of the job or of its shard.
    let selection: RunHeader.Selection?

    /// Notes the files of a lock file; nil for other runs.
    let lockRecorder: LockRecorder?

    /// Whether only some of the job's tasks were chosen.
    var isPart: Bool { selection != nil }

    /// The job to which state belongs.
    var job: JobIdentity { JobIdentity(of: plan, path: jobPath) }

    /// The paths of all reports, the JSON report first.
    var reportPaths: [(kind: ReportKind, path: String)] {
        let others = ReportKind.allCases.compactMap { kind -> (kind: ReportKind, path: String)? in
            guard kind != .json, let path = plan.reportPaths[kind] else { return nil }
            return (kind, path)
        }
        return [(.json, reportPath)] + others
    }

    /// Whether the run prints warnings and failures only.
    var isQuiet: Bool { progress.isQuiet }

    /// The absolute path of the report.
    var absoluteReportPath: String {
        guard !reportPath.hasBytePrefix("/"), let folder = ProcessContext.workingFolder else {
            return reportPath
        }
        return "\(folder)/\(reportPath)"
    }
}

/// A job with the values of its secrets and the logins of its netrc files.
struct FilledJob {
    let plan: Plan
    /// The plan's sessions, with the logins of their netrc files.
    let sessions: [SessionConfiguration]
    /// Finds all secrets of the run in a text; nil when the run has none.
    let redactor: Redactor?

    /// The owner of each destination file; nil when no server and no captured value names a file.
    var claims: DestinationClaims? {
        guard plan.hasPeerNames else { return nil }
        let claims = DestinationClaims(folders: plan.foldersOfServerNames()) { plan.id(of: $0) }
        plan.forEachPlannedPath(claims.reserve)
        return claims
    }
}
