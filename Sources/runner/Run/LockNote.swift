import SystemKit
import TransferModel

/// The note in a lock's file that names the run that holds the lock.
///
/// The number of a process has a meaning only in its namespace, on its machine, until the machine
/// restarts.
struct LockNote {
    private let process: Int32
    /// The namespace of that number and the start of the machine; nil where the kernel does not
    /// tell them.
    private let place: String?
    private let host: String

    /// The note of this process.
    static let own = LockNote(
        process: ProcessContext.identifier,
        place: ProcessContext.processNamespace,
        host: ProcessContext.hostName
    )

    private init(process: Int32, place: String?, host: String) {
        self.process = process
        self.place = place
        self.host = host
    }

    /// Reads a note; nil for another text, because any process with access to the file may have
    /// written it.
    init?(_ text: String) {
        let words = text.splitAtBytes(" ", maxSplits: 2)
        guard words.count == 3, let process = Int32(words[0]), process > 0 else { return nil }
        self.init(
            process: process,
            place: words[1] == "-" ? nil : String(words[1]),
            host: String(words[2])
        )
    }

    /// The text of the note in the file.
    var text: String { "\(process) \(place ?? "-") \(host)" }

    /// The process of the run, behind a space; empty where the namespaces are not known.
    var description: String {
        guard let place, let own = Self.own.place else { return "" }
        if place == own { return " (process \(process))" }
        let host = host.onOneLine(limit: 80).text
        return " (process \(process) of another container or machine, \(host))"
    }
}
