import Cookies
import SystemKit
import TransferModel

/// The folder for persistent state, private to its user.
struct StateFolder {
    /// nil when the command line, the environment and the user database name none.
    private let path: String?

    /// Chooses the folder: the command line's, `$XDG_STATE_HOME/runner`, or `~/.local/state/runner`
    /// (XDG Base Directory Specification).
    init(chosen: String?, environment: [String: String]) {
        if let chosen {
            path = chosen
        } else if let state = environment["XDG_STATE_HOME"], state.hasBytePrefix("/") {
            path = state + "/runner"
        } else {
            path = ProcessContext.homeFolder.map { $0 + "/.local/state/runner" }
        }
    }

    /// The folder, which may not exist; nil when nothing names one.
    var absolutePath: String? {
        guard let path, !path.hasBytePrefix("/") else { return path }
        return ProcessContext.workingFolder.map { "\($0)/\(path)" }
    }

    /// Why no state exists and none can be kept; nil when the folder exists or can probably be
    /// created.
    var absence: String? {
        guard let path = absolutePath else { return "there is no state folder" }
        return Folder.isOutOfReach(path)
            ? "the state folder \(path.shownSystemText) is inside a folder that this user may "
                + "not enter"
            : nil
    }

    /// The default path of a job's report; creates its folder.
    func reportPath(of job: JobIdentity) throws -> String {
        let advice = "name a report with --report, or a state folder with --state-dir"
        guard let path else { throw Exit(.environment, "there is no state folder: \(advice)") }
        do {
            _ = try Folder(
                path: path + "/reports",
                create: true,
                mode: 0o700,
                isDurable: true
            )
        } catch {
            throw Exit(.environment, "\(error.message): \(advice)")
        }
        return path + "/reports/\(Self.stem(of: job, key: job.key())).json"
    }

    /// The cookie file of a job's session; nil without a usable state folder, and for a session
    /// that keeps no cookies on disk.
    ///
    /// Each session of each job has its own, so that logins are not shared, unless sessions name
    /// one storage.
    func cookieFile(
        of session: SessionConfiguration,
        in job: JobIdentity
    ) -> CookieFile? {
        guard let path, absence == nil, session.kind != .ephemeral else { return nil }
        let (name, suffix): (String, String)
        switch session.httpCookieStorage {
        case .none: return nil
        case .own: (name, suffix) = (session.name, "\0\(session.name)")
        // No name of a session begins like that.
        case .shared(let storage): (name, suffix) = (storage, "\0\0\(storage)")
        }
        let key = job.key(of: suffix)
        let names = [job.name, name].map { Self.fileName($0).prefix(80) }
        return CookieFile(
            folder: path + "/cookies",
            name: "\(names[0])-\(names[1])-\(key).jsonl"
        )
    }

    /// The lock of a job, without taking it; creates its folder.
    ///
    /// - Throws: `Exit` when there is no folder for it.
    func lock(of job: JobIdentity) throws(Exit) -> FileLock {
        let advice = "name a state folder with --state-dir"
        guard let path else {
            throw Exit(.environment, "there is no state folder for the job's lock: \(advice)")
        }
        do throws(SystemError) {
            let folder = try Folder(path: path + "/locks", create: true, mode: 0o700)
            return try FileLock(in: folder, name: Self.stem(of: job) + Self.lockEnding)
        } catch {
            throw Exit(.environment, "\(error.message): \(advice)")
        }
    }

    /// A lock that another division of a job into shards holds, with its shard; nil without one.
    func takenLock(
        besides job: JobIdentity
    ) throws(SystemError) -> (lock: FileLock, shard: Shard?)? {
        guard let path = folder("locks") else { return nil }
        let folder = try Folder(path: path, create: false)
        for (stem, shard) in try stems(besides: job, in: path, endingWith: Self.lockEnding) {
            let lock = try FileLock(in: folder, name: stem + Self.lockEnding)
            if try lock.isTaken() { return (lock, shard) }
        }
        return nil
    }

    /// The journal of a job's idempotency keys; nil without a state folder.
    func keyJournal(of job: JobIdentity) -> (folder: String, name: String)? {
        guard let path else { return nil }
        return (path + "/journals", Self.stem(of: job) + Self.journalEnding)
    }

    /// The journals of idempotency keys that another division of a job into shards has left, with
    /// their shards; nil is the whole job.
    func keyJournals(
        besides job: JobIdentity
    ) throws(SystemError) -> [(path: String, shard: Shard?)] {
        guard let folder = folder("journals") else { return [] }
        return try stems(besides: job, in: folder, endingWith: Self.journalEnding).map {
            ("\(folder)/\($0.name)\(Self.journalEnding)", $0.shard)
        }
    }

    /// The names, without their ending, of files in a folder that belong to another division of a
    /// job into shards.
    private func stems(
        besides job: JobIdentity,
        in folder: String,
        endingWith ending: String
    ) throws(SystemError) -> [(name: String, shard: Shard?)] {
        let whole = Self.stem(of: job, shard: nil)
        let names = try Folder.names(in: folder) {
            $0.hasBytePrefix(whole) && $0.hasByteSuffix(ending)
        }
        return (names ?? []).sorted().compactMap { name in
            let stem = String(name.dropLast(ending.count))
            let shard = Shard(endOf: stem)
            guard Self.stem(of: job, shard: shard).hasSameBytes(as: stem),
                shard?.count != job.shard?.count
            else { return nil }
            return (stem, shard)
        }
    }

    /// The record of the files that a job wrote under names of peers; nil without a usable state
    /// folder.
    func writtenFiles(of job: JobIdentity) -> (folder: String, name: String)? {
        guard let path, absence == nil else { return nil }
        // Simultaneous runs share it.
        return (path + "/written", Self.stem(of: job, shard: nil) + Self.journalEnding)
    }

    /// The folder for records of a job's uploads; nil without a usable state folder.
    func uploadFolder(of job: JobIdentity) -> String? {
        guard let path, absence == nil else { return nil }
        return path + "/uploads/" + Self.stem(of: job)
    }

    /// The log file of a detached run; creates its folder.
    ///
    /// - Throws: `Exit` when there is no folder for it.
    func log(jobPath: String, at date: Timestamp) throws(Exit) -> (folder: Folder, name: String) {
        let advice = "name a state folder with --state-dir"
        guard let path = absolutePath else {
            throw Exit(.environment, "there is no state folder for the run's log: \(advice)")
        }
        do throws(SystemError) {
            let folder = try Folder(path: path + "/logs", create: true, mode: 0o700)
            let name = Self.logStem(jobPath: jobPath) + RunIdentifier.make(at: date) + ".log"
            return (folder, name)
        } catch {
            throw Exit(.environment, "\(error.message): \(advice)")
        }
    }

    /// The common prefix of a job's log names.
    static func logStem(jobPath: String) -> String {
        let name = JobIdentity.canonicalPath(of: jobPath).splitAtBytes("/").last ?? ""
        // A detached run names its log before it reads the job file.
        let job = JobIdentity(name: "", identifier: nil, path: jobPath)
        return "\(fileName(String(name)))-\(job.key())-"
    }

    /// The folder of that name in the state folder, whether it exists or not; nil without a state
    /// folder.
    func folder(_ name: String) -> String? { path.map { "\($0)/\(name)" } }

    private static let journalEnding = ".journal"
    private static let lockEnding = ".lock"

    /// The name, without its ending, of a file that belongs to a job or to one of its shards.
    private static func stem(of job: JobIdentity, key: String? = nil) -> String {
        stem(of: job, key: key, shard: job.shard)
    }

    private static func stem(of job: JobIdentity, key: String? = nil, shard: Shard?) -> String {
        "\(fileName(job.name))-\(key ?? job.nameKey)\(shard?.fileSuffix ?? "")"
    }

    /// A job's name as part of a file name: characters with a meaning in paths become underscores.
    private static func fileName(_ jobName: String) -> String {
        let name = jobName.map { character in
            character.isLetter || character.isNumber || "-_".contains(character) ? character : "_"
        }
        let text = String(decoding: String(name).utf8.prefix(200), as: UTF8.self)
        return text.isEmpty ? "job" : text
    }
}

/// The folder for data that can be fetched again.
enum CacheFolder {
    /// `RUNNER_CACHE_DIR`, else `$XDG_CACHE_HOME/runner`, else `~/.cache/runner` (XDG Base
    /// Directory Specification).
    ///
    /// - Returns: An absolute path; nil when neither the environment nor the user database names
    ///   one.
    static func path(in environment: [String: String]) -> String? {
        if let chosen = EnvironmentOption.text("CACHE_DIR") {
            guard !chosen.hasBytePrefix("/") else { return chosen }
            return ProcessContext.workingFolder.map { "\($0)/\(chosen)" }
        }
        if let cache = environment["XDG_CACHE_HOME"], cache.hasBytePrefix("/") {
            return cache + "/runner"
        }
        return ProcessContext.homeFolder.map { $0 + "/.cache/runner" }
    }
}

/// The name of one run: sorts by time, differs between machines.
enum RunIdentifier {
    /// `20261121T010403Z-` and twelve random characters.
    static func make(at time: Timestamp) -> String {
        let date = time.rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let random = (0..<12).map { _ in letters[Int.random(in: 0..<letters.count)] }
        return "\(date)Z-\(String(random))"
    }
}

extension StateOptions {
    /// The state folder of this process.
    var folder: StateFolder {
        StateFolder(chosen: chosenFolder, environment: ProcessContext.environment)
    }
}
