import Diagnostics
import JobFile
import NetworkPath
import Plan
import SystemKit
import TransferModel

/// The machine's own file about its interfaces: `RUNNER_NETWORK_FILE`, else
/// `/etc/runner/network.yaml`.
enum HostNetworkFile {
    private static let usualPath = "/etc/runner/network.yaml"

    /// Its rules; none when the usual file is not there.
    ///
    /// - Throws: `Exit` when it cannot be read, and for faults in it, which are printed.
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
    /// By the rules of a job, if there is one, and those of the machine.
    ///
    /// - Throws: What `HostNetworkFile.rules` throws.
    static func of(_ plan: Plan?) throws(Exit) -> NetworkSurvey {
        NetworkSurvey(job: plan?.interfaceRules ?? [], host: try HostNetworkFile.rules())
    }
}
