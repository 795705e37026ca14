package import SystemKit
package import TransferModel

extension TransferFailure {
    /// A failed system call: permanent, because a retry changes nothing.
    package init(_ error: SystemError, phase: Phase) {
        self.init(kind: .localIO, phase: phase, detail: error.message)
        osErrno = Int(error.errno)
        isPermanent = true
        urlError = .cannotWriteToFile
    }

    /// A source that could not be opened or read.
    init(reading error: SystemError, phase: Phase) {
        self.init(error, phase: phase)
        urlError =
            error.isMissing
            ? .fileDoesNotExist
            : .requestBodyStreamExhausted
    }
}
