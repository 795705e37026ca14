package import SystemKit
internal import TransferModel

/// What lies in a store on disk, for people: reads it without changing anything, but for `clear`.
package struct DiskInventory: Sendable {
    /// A stored response and where it is.
    package struct Item: Sendable {
        package let url: String
        package let response: StoredResponse
        /// What it takes besides others of the same URL, bytes.
        package let size: Int64
    }

    /// Something that is not as it should be.
    package struct Fault: Sendable, Hashable {
        /// The file's name in the store.
        package let name: String
        package let reason: String
    }

    /// The folder of the store.
    package let path: String
    private let folders: DiskFolders

    /// Opens a store.
    ///
    /// - Parameter directory: As a session names it.
    /// - Returns: nil when nothing was ever stored there.
    /// - Throws: What the file system says.
    package static func open(_ directory: String) throws(SystemError) -> DiskInventory? {
        do throws(SystemError) {
            let folders = try DiskFolders(in: directory, create: false)
            return DiskInventory(path: folders.root.path, folders: folders)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// What all files take on disk, bytes.
    package func size() throws(SystemError) -> Int64 {
        let entries = try folders.lists.entries() + folders.bodies.entries()
        return entries.reduce(0) { $0 + $1.size }
    }

    /// Hands out every response, ordered by the names of their files.
    ///
    /// - Throws: What the file system says of the folder; what is damaged or vanishes meanwhile is left out.
    package func forEachItem(_ body: (Item) -> Void) throws(SystemError) {
        for list in try lists() {
            guard let entry = entry(list) else { continue }
            for response in entry.responses {
                body(
                    Item(
                        url: entry.url,
                        response: response,
                        size: response.hasBody ? response.body.length : 0
                    )
                )
            }
        }
    }

    /// Looks at every file.
    ///
    /// - Returns: What is damaged, missing or left over. What is being written meanwhile is no fault.
    /// - Throws: What the file system says of the folders.
    package func verify() throws(SystemError) -> [Fault] {
        let bodies = Set(try folders.bodies.entries().map(\.name))
        var faults: [Fault] = []
        var named: Set<String> = []
        for list in try lists() {
            guard let entry = entry(list) else {
                if folders.lists.contains(list) {
                    faults.append(Fault(name: "lists/\(list)", reason: "it is not a whole list"))
                }
                continue
            }
            for response in entry.responses where !response.body.name.isEmpty {
                named.insert(response.body.name)
                if let reason = fault(of: response.body, in: list) {
                    faults.append(Fault(name: "bodies/\(response.body.name)", reason: reason))
                }
            }
        }
        for body in bodies.subtracting(named).sorted() where isLeftOver(body) {
            faults.append(Fault(name: "bodies/\(body)", reason: "no list has it"))
        }
        return faults
    }

    /// Removes everything, and keeps others from storing meanwhile as little as it can.
    ///
    /// - Returns: How many files are gone.
    /// - Throws: What the file system says of the folders.
    package func clear() throws(SystemError) -> Int {
        var count = 0
        // The lists first: what no list has is not used.
        for folder in [folders.lists, folders.bodies] {
            for entry in try folder.entries() {
                folder.remove(entry.name)
                count += 1
            }
        }
        folders.root.remove(DiskFolders.usage)
        return count
    }

    private func lists() throws(SystemError) -> [String] {
        try folders.lists.entries().map(\.name).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func entry(_ list: String) -> (url: String, responses: [StoredResponse])? {
        guard let file = try? InputFile(in: folders.lists, name: list),
            let text = try? file.readPrefix(limit: DiskStore.largestList)
        else { return nil }
        return EntryText.parse(text)
    }

    /// Why a body is not what its list says; nil when it is, or when the list has another one by now.
    private func fault(of body: StoredResponse.Body, in list: String) -> String? {
        if let file = try? InputFile(in: folders.bodies, name: body.name) {
            if StoredBody.file(file).isIntact(body) { return nil }
            return "it has \(file.identity.size) bytes of \(body.length), or others than it had"
        }
        let isStillNamed = entry(list)?.responses.contains { $0.body.name == body.name } ?? false
        return isStillNamed ? "it is missing" : nil
    }

    /// Whether a body that no list has had was there for so long that nobody will name it any more.
    private func isLeftOver(_ body: String) -> Bool {
        guard let file = try? InputFile(in: folders.bodies, name: body) else { return false }
        let age = Clock.wallNanoseconds() - file.identity.modificationNanoseconds
        return age > DiskSweep.patience
    }
}
