internal import SystemKit
internal import TransferModel

/// The list of a URL's responses in a store.
struct DiskList {
    /// The largest list that is read, bytes.
    static let largest = 4 << 20

    private var file: InputFile?
    /// nil for an accepted list.
    private(set) var fault: DiskListFault?
    /// The requested URL; empty in a rejected list.
    private(set) var url = ""
    private(set) var responses: [StoredResponse] = []

    /// Bytes.
    var size: Int64 { file?.identity.size ?? 0 }

    /// The names of the listed bodies.
    var bodyNames: Set<String> { Set(responses.map(\.body.name)) }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - key: The name of its file.
    ///   - folders: The store's folders.
    /// - Returns: nil when there is no list.
    static func read(_ key: String, in folders: DiskFolders) -> DiskList? {
        let file: InputFile
        do throws(SystemError) {
            file = try InputFile(in: folders.lists, name: key)
        } catch {
            return error.isMissing ? nil : DiskList(fault: .unreadable)
        }
        guard file.exposure == nil else { return DiskList(file: file, fault: .exposed) }
        guard let text = try? file.readPrefix(limit: largest) else {
            return DiskList(file: file, fault: .unreadable)
        }
        guard let entry = EntryText.parse(text),
            entry.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            entry.responses.allSatisfy({ mayName($0.body, key) })
        else { return DiskList(file: file, fault: .damaged) }
        return DiskList(file: file, url: entry.url, responses: entry.responses)
    }

    /// Notes that the list was used.
    ///
    /// - Parameter interval: Uses within this time of the last noted use are ignored, nanoseconds.
    func touch(atMostEach interval: Int64) {
        guard let file else { return }
        let age = Clock.wallNanoseconds() &- file.identity.modificationNanoseconds
        if age > interval { file.touch() }
    }

    /// Whether the list format has room for a response: few selecting fields, with printable names.
    static func canHold(_ response: StoredResponse) -> Bool {
        response.selection.fields.count <= mostSelectingFields
            && response.selection.fields.allSatisfy { field in
                !field.name.isEmpty && field.name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }
    }

    /// The most that `EntryText` reads.
    private static let mostSelectingFields = 64

    private static func mayName(_ body: StoredResponse.Body, _ key: String) -> Bool {
        body.name.isEmpty || DiskFolders.isBodyName(body.name, of: key)
    }
}

/// Why a list is rejected.
enum DiskListFault: String {
    case damaged = "the list is incomplete or damaged"
    case exposed = "the file belongs to another user, or other users may read or write it"
    case unreadable = "the file cannot be read"
}
