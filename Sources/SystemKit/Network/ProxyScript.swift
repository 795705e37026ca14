internal import CPAC
internal import Glibc

/// A proxy auto-configuration (PAC) script, by libpacparser.
///
/// The library runs a program of strangers and cannot be stopped: only a process of its own calls
/// it, which is killed when it takes too long.
package enum ProxyScript {
    /// The library's name, for messages.
    package static let library = "libpacparser.so.1"

    /// The size of the largest script.
    package static let largestSize = 1 << 20
    /// The length of the longest answer.
    private static let longestAnswer = 64 << 10
    private static let mostMemory: UInt = 512 << 20
    /// The functions that scripts get from browsers and not from the library; on the script's first
    /// line, so that messages name its own lines.
    private static let prelude = "function alert() {} "
    /// A check for the function, whose absence the library notices only when it asks: it reads a
    /// page of HTML as E4X, as a script.
    private static let check = """

        ; if (typeof FindProxyForURL != "function") throw "it has no function FindProxyForURL";
        """

    /// Whether the library can be loaded.
    package static var isAvailable: Bool { cpac_is_available() != 0 }

    /// Asks a script, or only reads it.
    ///
    /// - Parameters:
    ///   - script: The script's text; a byte order mark is no part of it.
    ///   - url: The URL that the script gets; nil reads the script only.
    ///   - host: The URL's host, without the brackets of an IPv6 address.
    /// - Returns: The answer, such as `PROXY a:3128; DIRECT`.
    /// - Throws: Why there is no answer.
    package static func findProxy(
        _ script: String,
        url: String?,
        host: String
    ) throws(ProxyScriptFault) -> String {
        var text = script.utf8[...]
        if text.starts(with: "\u{FEFF}".utf8) { text = text.dropFirst(3) }
        guard !text.contains(0) else {
            throw .unreadable("it has a NUL, as a text that is not in UTF-8")
        }
        let whole = prelude + String(decoding: text, as: UTF8.self) + check
        var answer = [CChar](repeating: 0, count: longestAnswer)
        let result = unsafe cpac_find_proxy(whole, url, host, &answer, answer.count)
        let end = answer.firstIndex(of: 0) ?? answer.endIndex
        let words = String(decoding: answer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        switch UInt32(bitPattern: result) {
        case cpac_ok.rawValue: return words
        case cpac_no_library.rawValue: throw .noLibrary
        case cpac_bad_script.rawValue: throw .unreadable(words)
        default: throw .failed(words)
        }
    }

    /// Limits the memory, the time and the files of this process, which asks a script next.
    package static func confineProcess(seconds: UInt) {
        var limit = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit = rlimit(rlim_cur: seconds, rlim_max: seconds)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}

/// Why a script gave no answer.
package enum ProxyScriptFault: Error, Hashable {
    case noLibrary
    /// The script is no JavaScript; the library's message.
    case unreadable(String)
    /// The script failed; the library's message.
    case failed(String)
}
