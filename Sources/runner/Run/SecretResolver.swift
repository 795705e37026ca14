import Diagnostics
import Plan
import Report
import SystemKit
import TransferModel

/// Reads the values of secrets from the environment, files and commands.
final class SecretResolver: Sendable {
    /// The most bytes of a value.
    private static let largestValue = 64 * 1024
    /// Shorter values would be found everywhere by chance.
    private static let smallestValue = 4
    /// The most bytes of a command's standard error that are shown when it fails.
    private static let shownErrorBytes = 1000

    private struct State {
        var command: ChildProcess?
        var signal: StopSignal?
        var found: [Secret] = []
    }

    /// Thrown after `stop`.
    struct Stopped: Error {
        var signal: StopSignal
    }

    /// Why a value is not available; continues "the secret `name` ".
    private struct Fault: Error {
        var reason: String
        /// The output of a failed command.
        var captured: ChildProcess.Captured?
    }

    private let state = Lock(State())

    /// Ends the running command and all other work of `resolve`; for any thread.
    func stop(_ signal: StopSignal) {
        state.withLock { state in
            state.signal = signal
            state.command?.kill()
        }
    }

    /// The values read so far, even if others failed.
    var found: [Secret] { state.withLock { $0.found } }

    /// The values of some environment variables, whether or not a task needs them; they must never
    /// be shown.
    static func environmentValues(of variables: Set<String>) -> [Secret] {
        longEnough(variables.compactMap { ProcessContext.variable($0).map { Secret($0) } })
    }

    /// The passwords of the proxies in the environment; the engine reports invalid proxies.
    static func proxyPasswords(in variable: (String) -> String?) -> [Secret] {
        longEnough((try? ProxyEnvironment(variable))?.passwords ?? [])
    }

    /// The values long enough not to be found by chance.
    static func longEnough(_ values: [Secret]) -> [Secret] {
        values.filter { $0.withText { $0.utf8.count >= smallestValue } }
    }

    /// The values of secrets, by name.
    ///
    /// Commands run after all other values are read; their error output is redacted when all have
    /// ended.
    ///
    /// - Parameters:
    ///   - declarations: The sources of the values.
    ///   - others: Further values that must not be shown.
    ///   - folder: The absolute path of the commands' working folder.
    /// - Returns: A value for each declaration.
    /// - Throws: `PlanRejected` with all missing values; `Stopped` after `stop`.
    func resolve(
        _ declarations: [SecretDeclaration],
        besides others: [Secret],
        in folder: String
    ) throws -> [String: Secret] {
        var values: [String: Secret] = [:]
        var faults: [String: Fault] = [:]
        let commands = declarations.filter(\.isCommand)
        for declaration in declarations.filter({ !$0.isCommand }) + commands {
            do {
                let value = try value(of: declaration, in: folder)
                values[declaration.name] = value
                state.withLock { $0.found.append(value) }
            } catch let fault as Fault {
                faults[declaration.name] = fault
            }
            if let signal = state.withLock({ $0.signal }) { throw Stopped(signal: signal) }
        }
        guard !faults.isEmpty else { return values }
        let partial = faults.values.compactMap { $0.captured?.partialValue }
        state.withLock { $0.found += partial }
        let redactor = Redactor(Array(values.values) + others + partial)
        throw PlanRejected(
            diagnostics: declarations.compactMap { declaration in
                guard let fault = faults[declaration.name] else { return nil }
                let words = fault.captured.flatMap { Self.words($0, redactor) }
                let notes = words.map { [Diagnostic.Note("the command wrote: \($0)")] } ?? []
                return declaration.missing(fault.reason, notes: notes)
            }
        )
    }

    private func value(of declaration: SecretDeclaration, in folder: String) throws -> Secret {
        switch declaration.source {
        case .environment(let name):
            guard let text = ProcessContext.variable(name) else {
                throw Fault(reason: "has no value: the environment variable `\(name)` is not set")
            }
            return try Self.secret(text.systemBytes)
        case .file(let path, let displayPath):
            return try Self.secret(Self.withoutLineEnd(Self.content(of: path, displayPath)))
        case .command(let arguments, let timeout):
            let output = try output(of: arguments, in: folder, within: timeout)
            return try Self.secret(Self.withoutLineEnd(output))
        }
    }

    private static func content(of path: String, _ displayPath: String) throws -> [UInt8] {
        do throws(SystemError) {
            return try PrivateFile.read(
                path,
                displayPath,
                to: "take a secret from",
                limit: largestValue + 1
            )
        } catch {
            throw Fault(reason: "has no value: \(error.message)")
        }
    }

    /// The standard output of a command.
    private func output(
        of arguments: [String],
        in folder: String,
        within timeout: Duration
    ) throws -> [UInt8] {
        let captured: ChildProcess.Captured
        do throws(SystemError) {
            let command = try ChildProcess(arguments, in: folder)
            state.withLock { state in
                state.command = command
                // The signal may have arrived before the command started.
                if state.signal != nil { command.kill() }
            }
            defer { state.withLock { $0.command = nil } }
            let deadline = MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + timeout
            captured = try command.capture(limit: Self.largestValue, until: deadline.nanoseconds)
        } catch {
            throw Fault(reason: "has no value: \(error.message)")
        }
        let failure =
            switch captured.outcome {
            case .ended(.exited(0)): nil as String?
            case .ended(.exited(let status)): "ended with status \(status)"
            case .ended(.killed(let signal)): "was ended by signal \(signal)"
            case .timedOut: "did not end in time"
            case .tooMuchOutput: "wrote more than 64 KiB"
            }
        guard let failure else { return captured.output }
        throw Fault(reason: "has no value: its command \(failure)", captured: captured)
    }

    /// The end of a failed command's error output, without secrets; nil if it is empty.
    private static func words(_ captured: ChildProcess.Captured, _ redactor: Redactor?) -> String? {
        // The ellipsis lets the redactor recognize a cut secret.
        let bytes = captured.error + (captured.isErrorCut ? Array("…".utf8) : [])
        let shown = (redactor?.redacted(bytes) ?? bytes).suffix(shownErrorBytes)
        let text = String(decoding: shown, as: UTF8.self)
        // Omit the final line end.
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { String(text[...$0]) }
    }

    /// The bytes without a final line end.
    fileprivate static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == 10 else { return bytes }
        let line = bytes.dropLast()
        return Array(line.last == 13 ? line.dropLast() : line)
    }

    private static func secret(_ bytes: [UInt8]) throws -> Secret {
        guard !bytes.isEmpty else { throw Fault(reason: "is empty") }
        guard bytes.count >= smallestValue else {
            throw Fault(
                reason: "is shorter than \(smallestValue) bytes: runner could not redact it"
            )
        }
        guard bytes.count <= largestValue else { throw Fault(reason: "is larger than 64 KiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(reason: "is not UTF-8 text")
        }
        return Secret(text)
    }
}

extension SecretDeclaration {
    fileprivate var isCommand: Bool {
        if case .command = source { true } else { false }
    }
}

extension ChildProcess.Captured {
    /// The part of its value that a failed command wrote.
    fileprivate var partialValue: Secret {
        Secret(String(decoding: SecretResolver.withoutLineEnd(output), as: UTF8.self))
    }
}

/// Files with secrets and logins, which must be private.
enum PrivateFile {
    /// Reads a file from its beginning.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - displayPath: The path for messages.
    ///   - operation: The rejected operation on a file that others may read, such as "take a secret
    ///     from".
    ///   - limit: The most bytes to read.
    /// - Returns: The bytes, at most `limit`.
    /// - Throws: The errors of open(2) and read(2); `EPERM` for a file that others own or may read.
    static func read(
        _ path: String,
        _ displayPath: String,
        to operation: String,
        limit: Int
    ) throws(SystemError) -> [UInt8] {
        let file = try InputFile(path: path)
        let reason: String? =
            switch file.exposure {
            case nil: nil
            case .foreignOwner?: "it belongs to another user"
            case .openMode?: "other users may read or change it; chmod 600"
            }
        if let reason { throw .notPermitted(operation, displayPath, reason: reason) }
        return try file.readPrefix(limit: limit)
    }
}
