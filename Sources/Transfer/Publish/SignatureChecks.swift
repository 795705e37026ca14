internal import SystemKit
internal import TransferModel

/// The end of a task's time, and the limit that has led to it.
struct TaskDeadline: Sendable {
    let time: MonotonicTime
    private let limit: TimeLimit?

    /// nil for a task without a limit.
    init?(_ time: MonotonicTime?, _ limit: TimeLimit?) {
        guard let time else { return nil }
        (self.time, self.limit) = (time, limit)
    }

    /// Whether the time is over.
    var isOver: Bool { MonotonicTime.now >= time }

    /// The failure of a task whose time is over.
    func failure(_ phase: TransferFailure.Phase) -> TransferFailure {
        TransferFailure(phase: phase, "the task exceeded", limit)
    }
}

/// Runs the programs that check signatures, and ends the program of a cancelled attempt.
///
/// Thread-safe.
final class SignatureChecks: Sendable {
    /// The check of an attempt; next: `running` or `cancelled`.
    private enum State {
        case expected
        /// Next: `expected` or `cancelled`.
        case running(ChildProcess)
        case cancelled
    }

    /// The most bytes of a program's standard output.
    private static let longestOutput = 64 << 10

    /// The attempts with a signature whose files wait or are checked.
    private let states = Lock<[Int: State]>([:])

    /// Lets cancellations reach an attempt from now on, until `end`.
    func expect(_ key: Int) { states.withLock { $0[key] = .expected } }

    /// Forgets an attempt.
    func end(_ key: Int) { states.withLock { $0[key] = nil } }

    /// Cancels attempts; ignores unknown keys.
    func cancel(_ keys: [Int]) {
        states.withLock { states in
            guard !states.isEmpty else { return }
            for key in keys {
                if case .running(let program)? = states[key] { program.kill() }
                if states[key] != nil { states[key] = .cancelled }
            }
        }
    }

    /// Lets the program check the bytes of a file; waits for its end.
    ///
    /// - Parameters:
    ///   - file: The file, which its name does not matter to.
    ///   - signature: The signature.
    ///   - path: The file's path in messages.
    ///   - key: The attempt.
    ///   - deadline: When the check must end even before the signature's timeout.
    /// - Returns: nil when the program vouches for the file; a failure of the kind `signature` when
    ///   it does not, of others when it could not check.
    func check(
        _ file: InputFile,
        _ signature: DetachedSignature,
        of path: String,
        for key: Int,
        until deadline: TaskDeadline?
    ) -> TransferFailure? {
        guard isWanted(key) else { return .cancelledCheck(.finish) }
        if let failure = signature.missingFile(phase: .finish) { return failure }
        let captured: ChildProcess.Captured
        do throws(SystemError) {
            let program = try ChildProcess(
                signature.command,
                in: "/",
                environment: Self.environment,
                reading: file
            )
            guard begin(program, key) else { return .cancelledCheck(.finish) }
            let limit = MonotonicTime.now + signature.timeout
            let end = min(limit, deadline?.time ?? limit)
            captured = try program.capture(limit: Self.longestOutput, until: end.nanoseconds)
        } catch {
            return TransferFailure(error, of: signature)
        }
        guard finish(key) else { return .cancelledCheck(.finish) }
        if captured.outcome == .timedOut, let deadline, deadline.isOver {
            return deadline.failure(.finish)
        }
        if signature.isAccepted(by: captured) { return nil }
        return TransferFailure(captured, of: signature, path)
    }

    /// The environment of the programs: no secrets, and messages in English.
    private static var environment: [String: String] {
        var environment = ProcessContext.environment.filter { ["PATH", "HOME"].contains($0.key) }
        environment["LC_ALL"] = "C.UTF-8"
        return environment
    }

    private func isWanted(_ key: Int) -> Bool {
        states.withLock { states in
            if case .cancelled? = states[key] { false } else { true }
        }
    }

    /// Lets a cancellation end the program; false when it has come before.
    private func begin(_ program: ChildProcess, _ key: Int) -> Bool {
        states.withLock { states in
            switch states[key] {
            case .cancelled:
                program.kill()
                return false
            case .expected, .running: states[key] = .running(program)
            case nil: break
            }
            return true
        }
    }

    /// Takes the program from the reach of cancellations; false when one has ended it.
    private func finish(_ key: Int) -> Bool {
        states.withLock { states in
            if case .cancelled? = states[key] { return false }
            if states[key] != nil { states[key] = .expected }
            return true
        }
    }
}

extension DetachedSignature {
    /// The failure of a download whose signature or key cannot be opened; nil when both can.
    func missingFile(phase: TransferFailure.Phase) -> TransferFailure? {
        var paths = [path]
        if case .file(let keyPath, _) = key { paths.append(keyPath) }
        do throws(SystemError) {
            for path in paths { _ = try InputFile(path: path) }
            return nil
        } catch {
            return TransferFailure(reading: error, phase: phase)
        }
    }

    /// The program and its arguments; the file is its standard input.
    fileprivate var command: [String] {
        switch (program, key) {
        case (.minisign, .file(let keyPath, _)):
            ["minisign", "-V", "-p", keyPath, "-m", "/dev/stdin", "-x", path]
        case (.minisign, .text(let text)):
            ["minisign", "-V", "-P", text, "-m", "/dev/stdin", "-x", path]
        case (.gpgv, .file(let keyPath, _)), (.gpgv, .text(let keyPath)):
            ["gpgv", "--status-fd", "1", "--keyring", keyPath, path, "-"]
        }
    }

    /// Whether the program vouches for the file.
    ///
    /// gpgv also succeeds with a signature by a key that has expired or was revoked, which apt
    /// refuses; `GOODSIG` is for others. A signature of text, whose class is 01, leaves the ends of
    /// its lines open (`doc/DETAILS` of GnuPG).
    fileprivate func isAccepted(by captured: ChildProcess.Captured) -> Bool {
        guard captured.outcome == .ended(.exited(0)) else { return false }
        switch program {
        case .minisign: return true
        case .gpgv:
            let lines = captured.output.split(separator: UInt8(ascii: "\n"))
                .map { $0.split(separator: UInt8(ascii: " ")).map { Array($0) } }
            let classes = lines.filter { $0.dropFirst().first == Array("VALIDSIG".utf8) }
                .map { $0.count > 10 ? $0[10] : [] }
            return lines.contains { $0.dropFirst().first == Array("GOODSIG".utf8) }
                && classes.allSatisfy { $0 == Array("00".utf8) }
        }
    }
}

extension TransferFailure {
    /// An attempt that was cancelled while its file was checked.
    static func cancelledCheck(_ phase: Phase) -> TransferFailure {
        TransferFailure(kind: .cancelled, phase: phase, detail: "cancelled", urlError: .cancelled)
    }

    /// A program that could not be started.
    fileprivate init(_ error: SystemError, of signature: DetachedSignature) {
        self.init(error, phase: .finish)
        let name = signature.program.rawValue
        guard error.isMissing else { return }
        detail =
            "`\(name)`, which checks the signature `\(signature.displayPath)`, is not installed"
        help = "install the package `\(name)`"
    }

    /// A file for which the program does not vouch.
    fileprivate init(
        _ captured: ChildProcess.Captured,
        of signature: DetachedSignature,
        _ path: String
    ) {
        let name = signature.program.rawValue
        let reason =
            switch captured.outcome {
            case .ended(.killed(let signal)): "it was ended by signal \(signal)"
            case .timedOut: "it did not end within \(signature.timeout.jobText)"
            case .tooMuchOutput: "it wrote more than 64 KiB"
            case .ended(.exited(0)):
                "the signature or its key has expired, the key was revoked, or the signature is "
                    + "of text (`--textmode`)"
            case .ended(.exited(let status)): Self.words(captured.error) ?? "status \(status)"
            }
        self.init(
            kind: .signature,
            phase: .finish,
            detail: "\(name) does not vouch for the file by the signature "
                + "`\(signature.displayPath)` and the key `\(signature.key.displayText)`: \(reason)"
        )
        urlError = .cannotDecodeRawData
        help =
            "nothing was written to \(path): the file, its signature or the key is not the "
            + "publisher's, or one of them is out of date"
    }

    /// The text of a program on one line; nil when it is empty.
    private static func words(_ bytes: [UInt8]) -> String? {
        let (text, isWhole) = String(decoding: bytes, as: UTF8.self).onOneLine(limit: 300)
        return text.isEmpty ? nil : text + (isWhole ? "" : "…")
    }
}
