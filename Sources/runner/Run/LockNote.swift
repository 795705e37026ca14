import SystemKit
import TransferModel

/// What the run that has a lock leaves for those who find it taken.
///
/// A process's number means something only in its own namespace, on its own machine, until that is started anew.
struct LockNote {
    private let process: Int32
    /// The namespace of that number and the start of the machine; nil where the kernel has not told.
    private let place: String?
    private let host: String

    /// That of this process.
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

    /// Reads a note; nil for what is none: whoever may write to the file chose the text.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let process = Int32(words[0]), process > 0 else { return nil }
        self.init(
            process: process,
            place: words[1] == "-" ? nil : String(words[1]),
            host: String(words[2])
        )
    }

    /// As it stands in the file.
    var text: String { "\(process) \(place ?? "-") \(host)" }

    /// Which run it is, behind a space; nothing where nobody can tell.
    var description: String {
        guard let place, let own = Self.own.place else { return "" }
        if place == own { return " (process \(process))" }
        let host = host.onOneLine(limit: 80).text
        return " (process \(process) of another container or machine, \(host))"
    }
}
