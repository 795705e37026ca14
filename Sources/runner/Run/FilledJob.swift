import Plan
import Report
import Transfer
import TransferModel

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
