internal import CSystem
internal import Glibc

/// What the process was given by whoever started it.
package enum ProcessContext {
    /// The environment as the process was given it; of a name that stands twice the first value, as
    /// getenv(3) has it.
    package static let environment: [String: String] = {
        var result: [String: String] = [:]
        guard var entry = unsafe environ as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        else {
            return result
        }
        while let text = unsafe entry.pointee {
            let line = unsafe String(systemText: text)
            if let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(line[..<equals])
                if result[name] == nil { result[name] = String(line[line.index(after: equals)...]) }
            }
            unsafe entry += 1
        }
        return result
    }()

    /// The value of one environment variable.
    package static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(systemText: $0) }
    }

    /// The absolute path of the working folder; nil when it has been removed.
    package static var workingFolder: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(systemText: path)
    }

    /// The user's home folder: `HOME`, else what the user database says.
    package static var homeFolder: String? {
        if let home = variable("HOME"), !home.isEmpty { return home }
        guard let entry = unsafe getpwuid(geteuid()), let folder = unsafe entry.pointee.pw_dir
        else {
            return nil
        }
        return unsafe String(systemText: folder)
    }

    /// What tells one start of the machine from the next; nil where the kernel does not say.
    package static var bootIdentifier: String? {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let bytes = try? InputFile(path: path).readPrefix(limit: 64), !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }

    /// What tells the processes that this one can name by their numbers from all others: the
    /// namespace of those numbers and the start of the machine; nil where the kernel does not say.
    package static var processNamespace: String? {
        guard let namespace = SymbolicLink.target(of: "/proc/self/ns/pid"),
            let boot = bootIdentifier
        else { return nil }
        return namespace + "@" + boot
    }

    /// The path of the program that this process runs; nil when it has been removed.
    package static var executablePath: String? {
        // Without /proc it is the path that execve(2) was given.
        let started = unsafe csystem_started_path()
        guard
            let path = unsafe realpath("/proc/self/exe", nil)
                ?? started.flatMap({ unsafe realpath($0, nil) })
        else { return nil }
        defer { unsafe free(path) }
        return unsafe String(systemText: path)
    }

    /// What the process was started with, behind its name.
    ///
    /// From `main`: the standard library's list is read from /proc, and empty without it.
    package static let arguments: [String] = {
        (0..<csystem_argument_count()).dropFirst().compactMap { index in
            unsafe csystem_argument(index).map { unsafe String(systemText: $0) }
        }
    }()

    /// The process's number.
    package static var identifier: Int32 { getpid() }

    /// Ends the process at once: nothing that is still open is worth waiting for.
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

    /// Whether both paths lead to one existing file, also by symbolic or hard links.
    package static func isSameFile(_ left: String, _ right: String) -> Bool {
        var one = stat()
        var other = stat()
        guard unsafe left.withSystemText({ unsafe stat($0, &one) }) == 0,
            unsafe right.withSystemText({ unsafe stat($0, &other) }) == 0
        else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    /// How many processors this process may use.
    package static var processorCount: Int {
        max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Keeps what is in memory out of core files.
    package static func disableCoreDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// How many files the process may open, and how many it may ask for (getrlimit(2)).
    package static var openFileLimits: (soft: Int, hard: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return (.max, .max)
        }
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }

    /// Keeps what is in memory from a program that core dumps are piped to, which no limit stops,
    /// and from other processes of the same user (PR_SET_DUMPABLE of prctl(2)).
    package static func hideMemory() { csystem_hide_memory() }

    /// Lets the process open at least so many files, as far as its hard limit permits.
    ///
    /// - Parameter count: How many are needed.
    /// - Returns: How many there are now.
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
    /// Opens `/dev/null` in the place of each standard stream that the process was started without.
    ///
    /// Otherwise the next file to be opened would get its number, and what is said to people would
    /// go into it. To be called before anything is opened.
    package static func openMissingStandardStreams() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one: those below are open by now.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Makes two failures of write(2) errors instead of the end of the process: EPIPE for a pipe or
    /// a socket that nobody reads, EFBIG for a file that would grow beyond the limit of the process
    /// (RLIMIT_FSIZE of setrlimit(2)).
    ///
    /// For the whole process; to be called before anything is written. Programs that are started
    /// get both signals back.
    package static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// The stream for results.
package enum StandardOutput {
    /// Writes all of `bytes`.
    ///
    /// - Returns: Whether the reader took them; false when it has gone, as `head` does when it has
    ///   seen enough.
    /// - Throws: What else kept them from being written, such as a full disk.
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

    /// Writes a JSON document, or a part of one that ends between values, harmless to whatever
    /// shows it.
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
