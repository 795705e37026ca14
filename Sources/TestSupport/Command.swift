import Glibc
import SystemKit

/// An executable with its arguments, to be run as a child process.
package struct Command: Sendable {
    /// A path with a slash, or a name to look up in `PATH`.
    package var executable: String
    /// The arguments without the executable.
    package var arguments: [String]
    /// The child's variables, besides the few that every child gets; nil removes one of those.
    package var environment: [String: String?] = [:]
    /// The working folder; nil means that of this process.
    package var workingFolder: String?
    /// Descriptors that the child gets under these numbers; all others above 2 are closed.
    var inherited: [(descriptor: Descriptor, number: Int32)] = []

    /// Creates a command, which `run` or `start` starts.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String?] = [:],
        workingFolder: String? = nil
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.workingFolder = workingFolder
    }

    /// How a child ended, and its output.
    package struct Outcome: Sendable {
        /// The exit code of the child, or the signal that killed it.
        package enum Status: Sendable, Hashable {
            case exit(Int32)
            case signal(Int32)
        }

        /// How the child ended.
        package var status: Status
        /// The whole standard output as text.
        package var standardOutput: String
        /// The whole standard error as text.
        package var standardError: String
    }

    /// Runs the command with an empty standard input until it ends.
    package func run(within interval: Duration = Deadline.guardInterval) throws -> Outcome {
        try start().finish(within: interval)
    }

    /// Starts the command.
    package func start() throws -> RunningCommand {
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        let error = try Descriptor.pipe()
        let standard = [(input.read, Int32(0)), (output.write, 1), (error.write, 2)]
        let process = try spawn(handingOver: standard + inherited)
        return RunningCommand(
            name: executable,
            process: process,
            input: input.write,
            output: output.read,
            error: error.read
        )
    }

    /// The `runner` built together with the running test bundle.
    package static func runner(
        _ arguments: [String],
        environment: [String: String?] = [:],
        workingFolder: String? = nil
    ) throws -> Command {
        let folder = try ownExecutable().split(separator: "/", omittingEmptySubsequences: false)
        let path = (folder.dropLast() + ["runner"]).joined(separator: "/")
        return Command(
            path,
            arguments,
            environment: environment,
            workingFolder: workingFolder
        )
    }

    private static func ownExecutable() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw SystemError.last("read", "/proc/self/exe") }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Spawning

    private func spawn(handingOver pairs: [(Descriptor, Int32)]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Move them above everything first, so that no target overwrites a needed source.
        let base = (pairs.map { max($0.0.number, $0.1) }.max() ?? 2) + 1
        for (source, target) in pairs {
            unsafe posix_spawn_file_actions_adddup2(&actions, source.number, base + target)
        }
        for (_, target) in pairs {
            unsafe posix_spawn_file_actions_adddup2(&actions, base + target, target)
        }
        // A descriptor of another thread left open in a child would keep its connection open.
        let kept = Set(pairs.map { $0.1 })
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let end = max(1024, base + (kept.max() ?? 0) + 1)
        for number in 3..<min(Int32(clamping: limit.rlim_cur), end) where !kept.contains(number) {
            unsafe posix_spawn_file_actions_addclose(&actions, number)
        }

        // The test runner's threads block signals, and a child would inherit that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        // Swift cannot call the function that sets a child's folder (it is a GNU extension).
        let change = workingFolder.map { ["env", "--chdir=\($0)"] } ?? []
        let line = change + [executable] + arguments
        var process = pid_t()
        let result = unsafe withArguments(line) { arguments in
            unsafe withArguments(childEnvironment()) { environment in
                unsafe posix_spawnp(
                    &process,
                    line[0],
                    &actions,
                    &attributes,
                    arguments,
                    environment
                )
            }
        }
        guard result == 0 else {
            throw SystemError(errno: result, operation: "start", subject: executable)
        }
        return process
    }

    /// The variables for finding programs, for the libcurl to test with, and for sanitizers and
    /// coverage.
    ///
    /// Nothing else of the user's environment reaches a child: a proxy, a locale, a time zone or a
    /// variable of the runner would change the result of a test.
    private static let keptVariables: Set = [
        "PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
        "LLVM_PROFILE_FILE",
    ]

    private func childEnvironment() -> [String] {
        var variables = ProcessContext.environment.filter { Self.keptVariables.contains($0.key) }
        for (name, value) in environment { variables[name] = value }
        return variables.map { "\($0.key)=\($0.value)" }
    }
}

/// Calls `body` with a NULL-ended array of C strings.
@unsafe private func withArguments<Result>(
    _ texts: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
}
