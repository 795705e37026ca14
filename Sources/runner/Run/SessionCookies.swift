import Cookies
import SystemKit
import TransferModel

/// The cookies of a run's sessions: read before it, written behind it.
///
/// Cookies that cannot be read or kept are no reason to fail: a warning says so.
struct SessionCookies {
    /// One for each session, in their order; nil for one that has nothing to do with cookies.
    let jars: [CookieJar?]
    /// Where each is kept; nil for one that lives as long as the run.
    private let files: [CookieFile?]
    private let sessions: [SessionConfiguration]

    /// Reads what the sessions of a job have kept.
    ///
    /// - Parameters:
    ///   - sessions: Those of the plan.
    ///   - file: Where a session's cookies are kept; nil without a state folder.
    ///   - now: What has expired is left out.
    ///   - findSecret: Finds the job's secrets in a text.
    init(
        of sessions: [SessionConfiguration],
        file: (SessionConfiguration) -> CookieFile?,
        at now: Timestamp,
        findSecret: SecretFinder?
    ) {
        self.sessions = sessions
        files = sessions.map { $0.kind != .ephemeral ? file($0) : nil }
        jars = zip(sessions, files).map { session, file in
            var kept: [Cookie] = []
            do throws(CookieFile.Fault) {
                kept = try file?.read() ?? []
            } catch {
                Self.warn("the cookies of session \(session.name) are not used: \(error.message)")
            }
            let store = CookieStore(kept, at: now)
            let jar = CookieJar(session, store: store, findSecret: findSecret)
            return jar.isOfUse ? jar : nil
        }
    }

    /// Writes what has changed, once nothing runs any more.
    func save(at now: Timestamp) {
        for ((jar, file), session) in zip(zip(jars, files), sessions) {
            do throws(CookieFile.Fault) {
                if let jar, let file { try file.write(jar.changes, at: now) }
            } catch {
                Self.warn("the cookies of session \(session.name) are not kept: \(error.message)")
            }
        }
    }

    private static func warn(_ text: String) {
        StandardError.say("warning: \(text)")
    }
}
