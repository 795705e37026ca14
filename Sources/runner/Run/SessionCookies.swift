import Cookies
import SystemKit
import TransferModel

/// The cookies of a run's sessions, read before the run and written after it.
///
/// Cookies that cannot be read or kept do not fail the run; a warning says so.
struct SessionCookies {
    /// A jar for each session, in their order; nil for a session that neither sends nor accepts
    /// cookies.
    let jars: [CookieJar?]
    /// The file of each jar; nil for a jar that lives as long as the run.
    private let files: [CookieFile?]
    private let sessions: [SessionConfiguration]

    /// Reads the cookies that the sessions of a job have kept.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the plan.
    ///   - file: The file of a session's cookies; nil without a state folder.
    ///   - now: The present time; cookies that have expired by then are left out.
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

    /// Writes the cookies that have changed; called when no transfer runs any more.
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
