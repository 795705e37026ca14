package import SystemKit
package import TransferModel

extension TransferFailure {
    /// A failed system call: permanent, because a retry changes nothing.
    package init(_ error: SystemError, phase: Phase) {
        self.init(kind: .localIO, phase: phase, detail: error.message)
        osErrno = Int(error.errno)
        isPermanent = true
        urlError = .cannotWriteToFile
        adviseUsual()
    }

    /// A source that could not be opened or read.
    init(reading error: SystemError, phase: Phase) {
        self.init(error, phase: phase)
        urlError =
            error.isMissing
            ? .fileDoesNotExist
            : .requestBodyStreamExhausted
        help = nil
        adviseUsual()
    }

    /// A download that must not replace an existing file.
    package static func destinationExists(_ path: String, phase: Phase) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: phase,
            detail: "the destination `\(path)` exists and `ifExists` is `fail`"
        )
        failure.osErrno = SystemError.taken
        failure.urlError = .cannotCreateFile
        failure.isPermanent = true
        failure.isKnownUnprocessed = phase == .prepare
        failure.help = "remove the file, or set `ifExists` to `replace` or `skip`"
        return failure
    }

    /// A download whose name, which `peer` chose, belongs to a file that no record shows to be the
    /// task's own.
    static func foreignFile(_ path: String, named peer: String) -> TransferFailure {
        var failure = TransferFailure.destinationExists(path, phase: .receive)
        failure.detail =
            "\(peer) named the file `\(path)`, which exists, and there is no record that this task "
            + "wrote it as it is now"
        failure.help = "move the file, or write `ifExists: replace`, which replaces any file"
        return failure
    }

    /// A download whose name belongs to another task or to a file of the run.
    static func destinationTaken(_ path: String, by owner: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .receive,
            detail: "`\(path)` belongs to \(owner)"
        )
        failure.osErrno = SystemError.taken
        failure.urlError = .cannotCreateFile
        failure.isPermanent = true
        failure.help = "give the download its own file or folder in `to`"
        return failure
    }

    /// Explains that a retry was possible but the body cannot be read again.
    mutating func explainSpentBody() {
        isPermanent = true
        switch kind {
        case .timeout, .stalled, .reset, .truncated, .protocolViolation, .httpStatus, .localIO,
            .network:
            detail += "; not repeated, because a pipe can be read only once"
        default: break
        }
    }
}
