internal import CSystem
internal import Glibc

/// The process's environment, arguments and limits.
package enum ProcessContext {
    /// The environment at the start; the first value of a duplicate name counts, as in getenv(3).
    package static let environment: [String: String] = {
        var result: [String: String] = [:]
        guard var entry = unsafe environ as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        else {
            return result
        }
        while let text = unsafe entry.pointee {
            let line = unsafe String(systemText: text)
            if let (name, value) = line.cut(atFirst: "="), result[String(name)] == nil {
                result[String(name)] = String(value)
            }
            unsafe entry += 1
        }
        return result
    }()

    /// The value of one environment variable.
    package static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(systemText: $0) }
    }

    /// The folder that an environment variable names; an empty variable names none (XDG Base
    /// Directory Specification).
    package static func folder(_ variable: String) -> String? {
        self.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The absolute path of the working folder; nil when it has been removed.
    package static var workingFolder: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(systemText: path)
    }

    /// The user's home folder: `HOME`, else the user database's entry.
    package static var homeFolder: String? {
        if let home = folder("HOME") { return home }
        guard let entry = unsafe getpwuid(geteuid()), let folder = unsafe entry.pointee.pw_dir
        else {
            return nil
        }
        return unsafe String(systemText: folder)
    }

    /// Identifies the machine's current boot; nil where the kernel does not say.
    package static var bootIdentifier: String? {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let bytes = try? InputFile(path: path).readPrefix(limit: 64), !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }

    /// Identifies the namespace of process numbers, together with the boot; nil where the kernel
    /// does not say.
    package static var processNamespace: String? {
        guard let namespace = SymbolicLink.target(of: "/proc/self/ns/pid"),
            let boot = bootIdentifier
        else { return nil }
        return namespace + "@" + boot
    }

    /// The path of this process's program; nil when the program was removed.
    package static var executablePath: String? {
        // Without /proc, the path given to execve(2).
        let started = unsafe csystem_started_path()
        guard
            let path = unsafe realpath("/proc/self/exe", nil)
                ?? started.flatMap({ unsafe realpath($0, nil) })
        else { return nil }
        defer { unsafe free(path) }
        return unsafe String(systemText: path)
    }

    /// The command line arguments without the program's name.
    ///
    /// Taken from `main`: the standard library reads arguments from /proc, and has none without
    /// /proc.
    package static let arguments: [String] = {
        (0..<csystem_argument_count()).dropFirst().compactMap { index in
            unsafe csystem_argument(index).map { unsafe String(systemText: $0) }
        }
    }()

    /// The process's number.
    package static var identifier: Int32 { getpid() }

    /// Ends the process at once, without closing anything.
    package static func exit(_ code: Int32) -> Never {
        Glibc._exit(code)
    }

    /// The machine's name.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        let end = buffer.firstIndex(of: 0) ?? buffer.count
        return String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether both paths lead to one existing file, also through links.
    package static func isSameFile(_ left: String, _ right: String) -> Bool {
        var one = stat()
        var other = stat()
        guard unsafe left.withSystemText({ unsafe stat($0, &one) }) == 0,
            unsafe right.withSystemText({ unsafe stat($0, &other) }) == 0
        else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// The number of processors that this process may use.
    package static var processorCount: Int {
        max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Keeps memory out of core files.
    package static func disableCoreDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// How many files the process may open now, and the highest value to which it may raise that
    /// limit (getrlimit(2)).
    package static var openFileLimits: (soft: Int, hard: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return (.max, .max)
        }
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }

    /// Hides memory from the user's other processes and from programs that receive core dumps by a
    /// pipe, to which the limit of core files does not apply (PR_SET_DUMPABLE of prctl(2)).
    package static func hideMemory() { csystem_hide_memory() }

    /// Raises the limit of open files, as far as the hard limit permits.
    ///
    /// - Parameter count: The number of files needed.
    /// - Returns: The new limit.
    @discardableResult
    package static func allowOpenFiles(_ count: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return count
        }
        if limit.rlim_cur < rlim_t(count) {
            limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}

extension ProcessContext {
    /// Opens `/dev/null` for each standard stream that is closed at the start.
    ///
    /// Otherwise the next opened file would get its number and receive messages. Results for a
    /// closed standard output still fail, because they would be lost. Call it before opening
    /// anything.
    package static func openMissingStandardStreams() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one, since the lower ones are open.
            _ = unsafe open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Turns two signals of write(2) into errors: EPIPE for a pipe or socket without reader, EFBIG
    /// for a file beyond the process limit (RLIMIT_FSIZE of setrlimit(2)).
    ///
    /// For the whole process; call it before writing anything. Started programs get both signals
    /// back.
    package static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// The stream for results.
package enum StandardOutput {
    /// The bytes that a pipe takes without waiting once it is writable (pipe(7)).
    package static let pieceSize = 4096

    /// Waits until a write of `pieceSize` bytes would succeed or fail without waiting; false after
    /// a timeout.
    package static func hasRoom(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// Writes all of `bytes`.
    ///
    /// - Returns: Whether the reader took them; false when the reader closed the pipe, as `head`
    ///   does.
    /// - Throws: Other errors, such as a full disk.
    @discardableResult
    package static func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.write(
                    STDOUT_FILENO,
                    buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written
                )
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno == EPIPE {
                return false
            } else if errno != EINTR {
                throw .last("write to", "standard output")
            }
        }
        return true
    }

    /// The error when a reader closes the pipe but needs the whole result.
    package static var lostReader: SystemError {
        SystemError(errno: EPIPE, operation: "write to", subject: "standard output")
    }

    /// Writes a JSON document, or a part that ends between values, without control sequences for
    /// terminals.
    @discardableResult
    package static func write(json document: Span<UInt8>) throws(SystemError) -> Bool {
        guard let harmless = TerminalText.harmlessJSON(document) else { return try write(document) }
        return try write(harmless.span)
    }

    /// Writes all of `text`, as UTF-8.
    @discardableResult
    package static func write(_ text: String) throws(SystemError) -> Bool {
        try write(text.utf8.span)
    }
}
