import Glibc
import SystemKit

/// One of Debian's proxies on a free loopback port with a configuration of its own; gone when nobody holds it.
///
/// They take no listening sockets from others, so each gets a port below those that the kernel gives away by itself, and
/// another one when somebody has it.
package final class ProxyProcess: Sendable {
    /// What is started.
    struct Program: Sendable {
        /// The executable and its Debian package.
        var name: String
        var package: String
        /// Its arguments; `$CONFIGURATION` and `$NAME` in them are those of this process.
        var arguments: [String]
        /// How many ports it listens at.
        var portCount = 1
        /// The user that it becomes when root starts it, whose the folder is then.
        var user: String?
        /// Makes the configuration, from the ports and the folder.
        var configuration: @Sendable ([UInt16], TemporaryFolder) throws -> String
    }

    package let ports: [UInt16]
    package let folder: TemporaryFolder
    private let process: Lock<RunningCommand>

    private static let usedPorts = Lock(Set<UInt16>())
    private static let mostStarts = 5

    init(_ program: Program) throws {
        var reason = ""
        for _ in 0..<Self.mostStarts {
            let folder = try TemporaryFolder()
            let ports = try (0..<program.portCount).map { _ in try Self.freePort() }
            let process = Lock(try Self.start(program, ports, folder))
            if try process.withLock({ try Self.answers($0, at: ports) }) {
                (self.ports, self.folder, self.process) = (ports, folder, process)
                return
            }
            let errors = try process.withLock { try $0.finish().standardError }
            reason = ((try? folder.text("log")) ?? "") + errors
        }
        throw MissingTool("\(program.name) (package \(program.package))", reason)
    }

    /// Ends it, so that its log is whole.
    func end() throws {
        _ = try process.withLock { try $0.finish() }
    }

    deinit {
        _ = process.withLock { try? $0.finish() }
    }

    /// Starts it under a shell that ends it when this process is gone, however that came about.
    ///
    /// Then the shell's standard input ends. What squid leaves in shared memory goes too.
    private static func start(
        _ program: Program,
        _ ports: [UInt16],
        _ folder: TemporaryFolder
    ) throws -> RunningCommand {
        let text = try program.configuration(ports, folder)
        let file = try folder.write(text, to: "configuration")
        if let user = program.user, geteuid() == 0 {
            let outcome = try Command("chown", ["-R", user, folder.path]).run()
            guard outcome.status == .exit(0) else {
                throw MissingTool("chown \(user)", outcome.standardError)
            }
        }
        let script = """
            PATH=$PATH:/usr/sbin
            exec 3<&0
            "$@" 3<&- &
            child=$!
            { read -r _ <&3; kill "$child"; } >/dev/null 2>&1 &
            reader=$!
            wait "$child"
            kill "$reader" 2>/dev/null
            rm -f "/dev/shm/$NAME-"*
            """
        let name = "t\(getpid())x\(ports[0])"
        let arguments = program.arguments.map {
            $0.replacing("$CONFIGURATION", with: file).replacing("$NAME", with: name)
        }
        return try Command(
            "sh",
            ["-c", script, "sh", program.name] + arguments,
            environment: ["NAME": name]
        ).start()
    }

    /// Whether it is listening; false when it has ended.
    private static func answers(_ command: RunningCommand, at ports: [UInt16]) throws -> Bool {
        let deadline = Deadline()
        for port in ports {
            while (try? LoopbackSocket.connecting(to: port, isBlocking: true)) == nil {
                if command.hasEnded(within: .milliseconds(10)) { return false }
                guard deadline.remainingMilliseconds > 0 else {
                    throw GuardTimeout("a proxy at port \(port)")
                }
            }
        }
        return true
    }

    /// A port that nobody listens at now and that no test of this process has.
    private static func freePort() throws -> UInt16 {
        while true {
            let port = UInt16.random(in: 10_000..<32_000)
            let isNew = usedPorts.withLock { $0.insert(port).inserted }
            if isNew, (try? LoopbackSocket.bound(to: port)) != nil { return port }
        }
    }
}
