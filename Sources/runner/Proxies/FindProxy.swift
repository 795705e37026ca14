import ArgumentParser
import SystemKit
import TransferModel

/// `runner find-proxy`: asks a proxy auto-configuration script, for a run.
///
/// A process of its own, because libpacparser cannot be stopped and runs a program of strangers.
/// The answer, or the reason for having none, goes to standard output.
struct FindProxy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-proxy",
        _superCommandName: Program.name,
        abstract: "Ask a proxy auto-configuration script.",
        shouldDisplay: false
    )

    /// More processor time than a script may take, in case the runner does not kill this process.
    private static let mostSeconds: UInt = 30

    @Argument(help: "The script's file.")
    var script: String

    @Argument(help: "The URL to ask for; without it, the script is only read.")
    var url: String?

    @Argument(help: "The URL's host.")
    var host: String?

    mutating func run() throws {
        let bytes = try Exit.environment { () throws(SystemError) in
            try InputFile(path: script).readPrefix(limit: ProxyScript.largestSize + 1)
        }
        guard bytes.count <= ProxyScript.largestSize else {
            try StandardOutput.write("the script is larger than 1 MiB")
            throw Exit(.environment)
        }
        ProxyScript.confineProcess(seconds: Self.mostSeconds)
        let (answer, isFailure) = ask(String(decoding: bytes, as: UTF8.self))
        try StandardOutput.write(answer)
        if isFailure { throw Exit(.environment) }
    }

    private func ask(_ text: String) -> (answer: String, isFailure: Bool) {
        do throws(ProxyScriptFault) {
            return (try ProxyScript.findProxy(text, url: url, host: host ?? ""), false)
        } catch {
            return (Self.words(for: error), true)
        }
    }

    private static func words(for fault: ProxyScriptFault) -> String {
        switch fault {
        case .noLibrary: "\(ProxyScript.library) is missing: install libpacparser1"
        case .unreadable(let message): "the script cannot be read: \(message)"
        case .failed(let message): "the script failed: \(message)"
        }
    }
}
