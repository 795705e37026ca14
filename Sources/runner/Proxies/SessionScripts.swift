import Scheduler
import SystemKit
import Transfer
import TransferModel

/// The proxy auto-configuration scripts of a run's sessions, each read once.
///
/// A script that cannot be read ends the run before its first request: without it, requests would
/// go the wrong way.
struct SessionScripts {
    /// Keeps fetched scripts while the run asks them.
    private let folders: [ScratchFolder]
    /// By session; nil for a session without a script.
    let scripts: [SessionScript?]

    /// How long fetching and reading a script may take.
    private static let timeLimit = Duration.seconds(30)

    /// Reads the scripts.
    init(of sessions: [SessionConfiguration]) throws(RunObstacle) {
        var folders: [ScratchFolder] = []
        var known: [ProxyScriptPlace: [String]] = [:]
        var scripts: [SessionScript?] = []
        for session in sessions {
            guard let servers = session.proxy.servers, let place = servers.script else {
                scripts.append(nil)
                continue
            }
            if known[place] == nil {
                let (path, folder) = try Self.load(place, for: session)
                if let folder { folders.append(folder) }
                known[place] = try Self.command(path, place)
            }
            var script = SessionScript(command: known[place] ?? [], place: place.text)
            script.exceptions = servers.exceptions
            scripts.append(script)
        }
        self.folders = folders
        self.scripts = scripts
    }

    /// The script's file, and the folder to which it was fetched.
    private static func load(
        _ place: ProxyScriptPlace,
        for session: SessionConfiguration
    ) throws(RunObstacle) -> (path: String, folder: ScratchFolder?) {
        do {
            switch place {
            case .file(let path, _): return (path, nil)
            case .url(let url):
                let folder = try ScratchFolder()
                let download = ScriptDownload(of: url, for: session)
                return (try download.fetch(to: folder, within: timeLimit), folder)
            }
        } catch let failure as TransferFailure {
            throw RunObstacle(words(place, "cannot be fetched: \(failure.detail)"))
        } catch let error as SystemError {
            throw RunObstacle(words(place, "cannot be fetched: \(error.message)"))
        } catch {
            throw RunObstacle(words(place, "cannot be fetched"))
        }
    }

    /// The program that asks the script, after it has read the script once.
    private static func command(
        _ path: String,
        _ place: ProxyScriptPlace
    ) throws(RunObstacle) -> [String] {
        guard let program = ProcessContext.executablePath else {
            throw RunObstacle(words(place, "cannot be asked: the program of this process is gone"))
        }
        let command = [program, "find-proxy", path]
        let answer: ChildProcess.Captured
        do throws(SystemError) {
            let deadline = Clock.monotonicNanoseconds() + timeLimit.nanoseconds
            answer = try ChildProcess(command, in: "/").capture(limit: 64 << 10, until: deadline)
        } catch {
            throw RunObstacle(words(place, "cannot be asked: \(error.message)"))
        }
        guard answer.outcome == .ended(.exited(0)) else {
            let text = String(decoding: answer.output, as: UTF8.self).onOneLine(limit: 300).text
            let reason = answer.outcome == .timedOut ? "reading it takes too long" : text
            throw RunObstacle(words(place, "is of no use: \(reason)"))
        }
        return command
    }

    private static func words(_ place: ProxyScriptPlace, _ words: String) -> String {
        "the proxy script \(place.text) \(words)"
    }
}

/// Fetches a proxy auto-configuration script, directly and with the session's trust.
struct ScriptDownload {
    private let url: TransferURL
    private let session: SessionConfiguration

    init(of url: TransferURL, for session: SessionConfiguration) {
        self.url = url
        var own = SessionConfiguration(name: session.name)
        own.kind = .ephemeral
        own.tls = session.tls
        own.proxy = .direct
        own.urlCache = URLCacheRule.none
        self.session = own
    }

    /// Fetches the script into a folder.
    ///
    /// - Returns: The path of its file.
    /// - Throws: `TransferFailure`, or `SystemError` without an engine.
    func fetch(to folder: ScratchFolder, within limit: Duration) throws -> String {
        let inbox = Inbox<AttemptEvent>()
        let engine: Engine
        do {
            engine = try Engine(
                sessions: [EngineSession(session)],
                maximumConcurrentAttempts: 1,
                clock: RunClock.now(),
                environment: { _ in nil },
                say: { _ in { true } },
                deliver: { events in for event in events { _ = inbox.push(event) } }
            )
        } catch {
            throw SystemError(errno: 5, operation: "fetch", subject: error.message)
        }
        defer { engine.stop() }
        let path = folder.path + "/proxy.pac"
        let now = MonotonicTime.present()
        var request = AttemptRequest(
            key: 0,
            session: 0,
            number: 1,
            request: RequestSpec(method: "GET", url: url, headers: [])
        )
        request.sink = .file(.init(path: path, displayPath: "proxy.pac"))
        request.deadline = now + limit
        request.expectation.maximumSize = Int64(ProxyScript.largestSize)
        engine.start([request])
        let end = now + limit + .seconds(1)
        while true {
            let events = inbox.takeAll(until: end.nanoseconds)
            for case .finished(let ended) in events {
                if let failure = ended.result.failure { throw failure }
                return path
            }
            if events.isEmpty {
                throw TransferFailure(kind: .timeout, phase: .receive, detail: "it takes too long")
            }
        }
    }
}
