internal import CurlKit
internal import SystemKit
package import TransferModel

/// Asks the scripts of sessions for the proxies of origins, on one engine thread.
///
/// Each question is a process of its own, which is killed when it takes too long: a script may
/// never end, and may wait for names. A few run at a time; attempts to the same origin share one.
final class ProxyFinder {
    /// The subject of a question.
    private struct Question: Hashable {
        var session: Int
        var origin: Origin
    }

    /// A running question.
    private final class Inquiry {
        let question: Question
        let process: ChildProcess
        let deadline: MonotonicTime
        var answer: [UInt8] = []

        init(_ question: Question, _ process: ChildProcess, _ deadline: MonotonicTime) {
            (self.question, self.process, self.deadline) = (question, process, deadline)
        }
    }

    /// An attempt that can continue.
    struct Outcome {
        let key: Int
        /// nil when the route is known now.
        let failure: TransferFailure?
    }

    /// The keys of its pipes in `SocketTable` begin here, far above those of attempts.
    private static let firstKey = 1 << 48
    /// How long a script may take for one answer.
    static let timeLimit = Duration.seconds(20)
    private static let mostInquiries = 4
    private static let longestAnswer = 64 << 10

    private let sockets: SocketTable
    private let scripts: [SessionScript?]
    private var inquiries: [Int: Inquiry] = [:]
    private var nextKey = firstKey
    /// The attempts behind each question, and the questions that have no process yet.
    private var waiting: [Question: [Int]] = [:]
    private var queue: [Question] = []
    private var routes: [Int: ScriptedRoutes] = [:]

    /// nil when no session has a script.
    init?(_ sessions: [EngineContext.Session], _ sockets: SocketTable) {
        scripts = sessions.map(\.script)
        self.sockets = sockets
        guard scripts.contains(where: { $0 != nil }) else { return nil }
    }

    /// The routes of a session; nil without a script.
    func routes(of session: Int) -> ScriptedRoutes? {
        guard let script = scripts[session] else { return nil }
        if let known = routes[session] { return known }
        let new = ScriptedRoutes(exceptions: script.exceptions)
        routes[session] = new
        return new
    }

    /// Asks for the way to an origin; `outcome` of a later event has the attempt's key.
    func ask(_ origin: Origin, session: Int, for key: Int, _ now: MonotonicTime) -> [Outcome] {
        let question = Question(session: session, origin: origin)
        waiting[question, default: []].append(key)
        if waiting[question]?.count == 1 { queue.append(question) }
        return startQueued(now)
    }

    /// Whether a key of `SocketTable` is one of a question.
    func owns(_ key: Int) -> Bool { key >= Self.firstKey }

    /// Reads from a process.
    func read(_ key: Int, _ now: MonotonicTime) -> [Outcome] {
        guard let inquiry = inquiries[key] else { return [] }
        do throws(SystemError) {
            while let bytes = try inquiry.process.output.next(atMost: 4096) {
                guard !bytes.isEmpty else { return [] }
                inquiry.answer += bytes
                guard inquiry.answer.count <= Self.longestAnswer else {
                    return end(key, .failure("its answer is longer than 64 KiB"), now)
                }
            }
        } catch {
            return end(key, .failure(error.message), now)
        }
        let text = String(decoding: inquiry.answer, as: UTF8.self)
        // The end of the output is nearly the end of the process.
        let status = inquiry.process.wait(until: Clock.monotonicNanoseconds() + 100_000_000)
        guard status == .exited(0) else { return end(key, .failure(text), now) }
        do throws(ProxyChoiceFault) {
            return end(key, .choices(try ProxyChoice.all(in: text)), now)
        } catch {
            return end(key, .failure(error.message), now)
        }
    }

    /// When `endOverdue` has something to do; the largest time for never.
    var nextTime: MonotonicTime {
        inquiries.values.map(\.deadline).min() ?? MonotonicTime(nanoseconds: .max)
    }

    /// Kills the processes that take too long.
    func endOverdue(_ now: MonotonicTime) -> [Outcome] {
        var outcomes: [Outcome] = []
        for (key, inquiry) in inquiries where inquiry.deadline <= now {
            outcomes += end(key, .failure("it gave no answer for 20 seconds"), now)
        }
        return outcomes
    }

    /// Forgets an attempt that has ended.
    func forget(_ key: Int) {
        for question in waiting.keys { waiting[question]?.removeAll { $0 == key } }
    }

    private enum Result {
        case choices([ProxyChoice])
        case failure(String)
    }

    private func startQueued(_ now: MonotonicTime) -> [Outcome] {
        var outcomes: [Outcome] = []
        while inquiries.count < Self.mostInquiries, !queue.isEmpty {
            let question = queue.removeFirst()
            do throws(SystemError) {
                try start(question, now)
            } catch {
                outcomes += deliver(.failure(error.message), to: question)
            }
        }
        return outcomes
    }

    private func start(_ question: Question, _ now: MonotonicTime) throws(SystemError) {
        guard let script = scripts[question.session] else { return }
        let origin = question.origin
        // As browsers do, the script gets no path and no query: they may hold secrets.
        let process = try ChildProcess(
            script.command + ["\(origin.text)/", Self.plain(origin.host)],
            in: "/"
        )
        nextKey += 1
        try sockets.watchInput(process.output.descriptor, key: nextKey)
        inquiries[nextKey] = Inquiry(question, process, now + Self.timeLimit)
    }

    /// The host without the brackets of an IPv6 address, as scripts expect it.
    private static func plain(_ host: String) -> String {
        host.hasBytePrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    private func end(_ key: Int, _ result: Result, _ now: MonotonicTime) -> [Outcome] {
        guard let inquiry = inquiries.removeValue(forKey: key) else { return [] }
        sockets.unwatchInput(inquiry.process.output.descriptor)
        inquiry.process.kill()
        return deliver(result, to: inquiry.question) + startQueued(now)
    }

    private func deliver(_ result: Result, to question: Question) -> [Outcome] {
        let keys = waiting.removeValue(forKey: question) ?? []
        switch result {
        case .choices(let all):
            // Proxies of HTTP carry no FTP and no SSH: they are no route, and no reason for a
            // direct connection.
            let isOfFiles = question.origin.scheme.isOfFileServer
            let choices = isOfFiles ? all.filter(\.mayCarryFiles) : all
            guard !choices.isEmpty else {
                let reason = "it names proxies of HTTP, and only SOCKS carries this protocol"
                let failure = failure(reason, of: question)
                return keys.map { Outcome(key: $0, failure: failure) }
            }
            routes(of: question.session)?.take(choices, for: question.origin)
            return keys.map { Outcome(key: $0, failure: nil) }
        case .failure(let reason):
            let failure = failure(reason, of: question)
            return keys.map { Outcome(key: $0, failure: failure) }
        }
    }

    /// A script that fails is no reason for a direct connection.
    private func failure(_ reason: String, of question: Question) -> TransferFailure {
        let place = scripts[question.session]?.place ?? ""
        var failure = TransferFailure(
            kind: .connect,
            phase: .prepare,
            detail: "the proxy script \(place) named no proxy for \(question.origin.text): "
                + reason.onOneLine(limit: 300).text
        )
        failure.urlError = .cannotConnectToHost
        failure.isKnownUnprocessed = true
        failure.decidingKey = TransferFailure.proxyKey
        failure.help = "correct the script, or name the proxies with `http`, `https` and `socks`"
        return failure
    }
}

extension ProxyChoice {
    /// Whether the way leads to servers of FTP and SSH, too.
    fileprivate var mayCarryFiles: Bool {
        if case .server(let server) = self { server.kind.isSOCKS } else { true }
    }
}

/// The script that chooses the proxies of a session.
package struct SessionScript: Sendable, Hashable {
    /// The program and its first arguments.
    ///
    /// A URL and its host follow; the program's output is the answer.
    package var command: [String]
    /// The script's place, for messages.
    package var place: String
    /// The hosts that are reached directly without asking.
    package var exceptions = ProxyExceptions()

    /// Creates the script of a session.
    package init(command: [String], place: String) {
        self.command = command
        self.place = place
    }
}
