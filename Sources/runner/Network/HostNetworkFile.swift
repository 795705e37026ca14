import Diagnostics
import JobFile
import NetworkPath
import Plan
import SystemKit
import TransferModel

/// The machine's file about its interfaces: `RUNNER_NETWORK_FILE`, or `/etc/runner/network.yaml`.
enum HostNetworkFile {
    private static let usualPath = "/etc/runner/network.yaml"

    /// The file's rules; empty if the default file does not exist.
    ///
    /// - Throws: `Exit` when the file cannot be read or has faults, which are printed.
    static func rules() throws(Exit) -> [InterfaceRule] {
        let chosen = EnvironmentOption.text("NETWORK_FILE")
        let path = chosen ?? usualPath
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try InputFile(path: path).readPrefix(limit: DocumentLimits.bytes + 1)
        } catch {
            if chosen == nil, error.isMissing { return [] }
            throw Exit(.environment, error.message)
        }
        let parsed = Document.parse(bytes, name: path)
        let network = parsed.document.map(HostNetwork.init)
        let diagnostics = parsed.diagnostics + (network?.diagnostics ?? [])
        let source = SourceText(name: path, bytes: bytes)
        FileDiagnostics(source: source, diagnostics: diagnostics)
            .redacted(by: nil)
            .printAsText()
        guard let network, !diagnostics.contains(where: { $0.severity == .error }) else {
            throw Exit(.environment)
        }
        return network.rules
    }
}

extension NetworkSurvey {
    /// A survey with the rules of a job, if any, and of the machine.
    ///
    /// - Throws: The error of `HostNetworkFile.rules`.
    static func of(_ plan: Plan?) throws(Exit) -> NetworkSurvey {
        NetworkSurvey(job: plan?.interfaceRules ?? [], host: try HostNetworkFile.rules())
    }
}
