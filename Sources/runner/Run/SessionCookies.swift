import Cookies
import SystemKit
import TransferModel

/// The cookies of a run's sessions, read before the run and written after it.
///
/// Cookies that cannot be read or kept do not fail the run; a warning says so.
struct SessionCookies {
    /// A storage of one session, or of several.
    private struct Place {
        let storage: CookieStorage
        /// nil for cookies that live as long as the run.
        let file: CookieFile?
        /// The name of the storage in messages.
        let title: String
    }

    /// A jar for each session, in their order; nil for a session that neither sends nor accepts
    /// cookies.
    let jars: [CookieJar?]
    /// The storages of the jars, each once.
    private let places: [Place]

    /// Reads the cookies that the sessions of a job have kept.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the plan.
    ///   - file: The file of a session's cookies; nil without a state folder, and for cookies that
    ///     are not kept.
    ///   - now: The present time; cookies that have expired by then are left out.
    ///   - findSecret: Finds the job's secrets in a text.
    init(
        of sessions: [SessionConfiguration],
        file: (SessionConfiguration) -> CookieFile?,
        at now: Timestamp,
        findSecret: SecretFinder?
    ) {
        var places: [Place] = []
        var shared: [String: Int] = [:]
        jars = sessions.map { session in
            let name: String?
            switch session.httpCookieStorage {
            case .none: return nil
            case .own: name = nil
            case .shared(let storage): name = storage
            }
            let storage: CookieStorage
            if let known = name.flatMap({ shared[$0] }) {
                storage = places[known].storage
            } else {
                let place = Self.place(of: session, file(session), at: now)
                storage = place.storage
                if let name { shared[name] = places.count }
                places.append(place)
            }
            let jar = CookieJar(session, storage: storage, findSecret: findSecret)
            return jar.isOfUse(isShared: name != nil) ? jar : nil
        }
        self.places = places
    }

    private static func place(
        of session: SessionConfiguration,
        _ file: CookieFile?,
        at now: Timestamp
    ) -> Place {
        var title = "session \(session.name)"
        if case .shared(let name) = session.httpCookieStorage { title = "storage \(name)" }
        var kept: [Cookie] = []
        do throws(CookieFileFault) {
            kept = try file?.read() ?? []
        } catch {
            Self.warn("the cookies of \(title) are not used: \(error.message)")
        }
        let storage = CookieStorage(CookieStore(kept, at: now))
        return Place(storage: storage, file: file, title: title)
    }

    /// Writes the cookies that have changed; called when no transfer runs any more.
    func save(at now: Timestamp) {
        for place in places {
            do throws(CookieFileFault) {
                try place.file?.write(place.storage.changes, at: now)
            } catch {
                Self.warn("the cookies of \(place.title) are not kept: \(error.message)")
            }
        }
    }

    private static func warn(_ text: String) {
        StandardError.say("warning: \(text)")
    }
}
