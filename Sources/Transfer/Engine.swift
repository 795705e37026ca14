internal import CurlKit
internal import SystemKit
package import TransferModel

/// Carries out attempts by libcurl: one thread owns every handle, others hand it commands and get values back.
package final class Engine: AttemptRunner {
    /// What other threads ask of the engine thread.
    struct Mailbox: Sendable {
        var starts: [AttemptRequest] = []
        var cancellations: [Int] = []
        var wantsProgress = false
        var isStopped = false

        var isEmpty: Bool {
            starts.isEmpty && cancellations.isEmpty && !wantsProgress && !isStopped
        }
    }

    /// Why an engine could not be made.
    package struct StartFailure: Error, Sendable, Hashable {
        package var message: String
    }

    /// What transfers are done with, for reports.
    package let description: RunHeader.Engine
    private let mailbox = Lock(Mailbox())
    private let wakeUp: EventPoll.WakeUp
    private let publisher: Publisher
    private let threads: Lock<[JoinableThread]>

    /// Loads libcurl and starts the threads.
    ///
    /// - Parameters:
    ///   - sessions: What `AttemptRequest.session` counts.
    ///   - maximumConcurrentAttempts: How many connections are worth keeping.
    ///   - durability: How files are published.
    ///   - clock: Turns readings into dates.
    ///   - deliver: Gets results in batches, on threads of the engine's own.
    /// - Throws: `StartFailure` without libcurl, threads or descriptors.
    package init(
        sessions: [SessionConfiguration],
        maximumConcurrentAttempts: Int,
        durability: Durability,
        clock: RunClock,
        deliver: @escaping @Sendable ([AttemptEvent]) -> Void
    ) throws(StartFailure) {
        let library: CurlLibrary
        do throws(CurlLibrary.LoadFailure) {
            library = try CurlLibrary.load()
        } catch {
            throw StartFailure(message: "libcurl cannot be loaded: \(error.message)")
        }
        description = RunHeader.Engine(
            libcurl: library.version,
            tls: library.tlsVersion,
            http2: library.hasHTTP2,
            http3: library.hasHTTP3
        )
        publisher = Publisher(durability: durability, deliver: deliver)
        do throws(SystemError) {
            let wakeUp = try EventPoll.WakeUp()
            self.wakeUp = wakeUp
            var started = try publisher.start()
            let mailbox = mailbox
            let publisher = publisher
            started.append(
                try JoinableThread(name: "engine") {
                    let loop = EngineLoop(
                        poll: EventPoll(wakeUp),
                        sessions: sessions,
                        maximumConcurrentAttempts: maximumConcurrentAttempts,
                        clock: clock,
                        publisher: publisher,
                        deliver: deliver
                    )
                    loop.run(mailbox)
                }
            )
            threads = Lock(started)
        } catch {
            publisher.stop()
            throw StartFailure(message: error.message)
        }
    }

    package func start(_ attempts: [AttemptRequest]) {
        post { $0.starts.append(contentsOf: attempts) }
    }

    package func cancel(_ keys: [Int]) {
        post { $0.cancellations.append(contentsOf: keys) }
    }

    package func reportProgress() {
        post { $0.wantsProgress = true }
    }

    package func stop() {
        post { $0.isStopped = true }
        let joined = threads.withLock { threads in
            let all = threads
            threads = []
            return all
        }
        // The engine's thread ends first: what it still hands to the publisher is published.
        joined.last?.join()
        publisher.stop()
        for thread in joined.dropLast() { thread.join() }
    }

    private func post(_ change: (inout Mailbox) -> Void) {
        let wasEmpty = mailbox.withLock { mailbox in
            let wasEmpty = mailbox.isEmpty
            change(&mailbox)
            return wasEmpty
        }
        // A mailbox that holds something has been signalled for already.
        if wasEmpty { wakeUp.signal() }
    }
}

extension Engine {
    /// Loads libcurl on a thread of its own, so that an engine made later finds it there.
    ///
    /// Its thirty libraries take longer than reading a job file of a thousand tasks; a failure is told by `init`.
    package static func preload() {
        _ = try? JoinableThread(name: "load") { _ = try? CurlLibrary.load() }
    }

    /// The SHA-256 of bytes as 64 hexadecimal digits; nil when libcrypto is not there.
    package static func sha256(of bytes: [UInt8]) -> String? {
        SHA256Digest.hexadecimal(of: bytes)
    }
}
