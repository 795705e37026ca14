import Diagnostics
import Plan
import Report
import SystemKit
import TransferModel

/// Gets the values of secrets: from the environment, from files, from commands.
final class SecretResolver: Sendable {
    /// The most bytes of a value.
    private static let largestValue = 64 * 1024
    /// What is shorter would be found by chance wherever it is looked for.
    private static let smallestValue = 4
    /// Bytes of a command's standard error that are shown when it fails.
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

    /// Why a value cannot be had; continues "the secret `name` ".
    private struct Fault: Error {
        var reason: String
        /// What a command wrote that failed.
        var captured: ChildProcess.Captured?
    }

    private let state = Lock(State())

    /// Ends the command that runs, and whatever else `resolve` does; for any thread.
    func stop(_ signal: StopSignal) {
        state.withLock { state in
            state.signal = signal
            state.command?.kill()
        }
    }

    /// The values that were had so far, also when others were not.
    var found: [Secret] { state.withLock { $0.found } }

    /// The values of those variables of the environment, whether or not a task needs them: nothing
    /// may show them.
    static func environmentValues(of variables: Set<String>) -> [Secret] {
        longEnough(variables.compactMap { ProcessContext.variable($0).map { Secret($0) } })
    }

    /// The passwords of the proxies that the environment names; one that cannot be a proxy is told
    /// by the engine.
    static func proxyPasswords(in variable: (String) -> String?) -> [Secret] {
        longEnough((try? ProxyEnvironment(variable))?.passwords ?? [])
    }

    /// Those that are not found by chance wherever they are looked for.
    static func longEnough(_ values: [Secret]) -> [Secret] {
        values.filter { $0.withText { $0.utf8.count >= smallestValue } }
    }

    /// The values of secrets by their names.
    ///
    /// Commands are run when all other values are there, and what they say is looked through when
    /// all have ended.
    ///
    /// - Parameters:
    ///   - declarations: Where the values are.
    ///   - others: More values that are not to be shown.
    ///   - folder: The absolute path of the folder that commands run in.
    /// - Returns: A value for each declaration.
    /// - Throws: `PlanRejected` with everything that is missing; `Stopped` after `stop`.
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
                let notes = words.map { [Diagnostic.Note("it said: \($0)")] } ?? []
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

    /// What a command writes to its standard output.
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
                // It may have come before there was anything to end.
                if state.signal != nil { command.kill() }
            }
            defer { state.withLock { $0.command = nil } }
            let deadline = MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + timeout
            captured = try command.capture(
                limit: Self.largestValue,
                until: deadline.nanoseconds
            )
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
        throw Fault(
            reason: "has no value: its command \(failure)",
            captured: captured
        )
    }

    /// The end of what a failed command says, without what it says of secrets; nil when that is
    /// nothing.
    private static func words(
        _ captured: ChildProcess.Captured,
        _ redactor: Redactor?
    ) -> String? {
        // The ellipsis is how half of a secret is known for one.
        let bytes = captured.error + (captured.isErrorCut ? Array("…".utf8) : [])
        let shown = (redactor?.redacted(bytes) ?? bytes).suffix(shownErrorBytes)
        let text = String(decoding: shown, as: UTF8.self)
        // The last line ends here anyway.
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { String(text[...$0]) }
    }

    /// Without one line end at the end.
    fileprivate static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == 10 else { return bytes }
        let line = bytes.dropLast()
        return Array(line.last == 13 ? line.dropLast() : line)
    }

    private static func secret(_ bytes: [UInt8]) throws -> Secret {
        guard !bytes.isEmpty else { throw Fault(reason: "is empty") }
        guard bytes.count >= smallestValue else {
            throw Fault(reason: "is shorter than \(smallestValue) bytes: it could not be redacted")
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
    /// What a failed command has given away of its value.
    fileprivate var partialValue: Secret {
        Secret(String(decoding: SecretResolver.withoutLineEnd(output), as: UTF8.self))
    }
}
