package import SystemKit
internal import TransferModel

/// The contents of a store on disk, for the user; only `clear` changes anything.
package struct DiskInventory: Sendable {
    /// A stored response and its URL.
    package struct Item: Sendable {
        /// The URL of the request.
        package let url: String
        /// The head and the properties of the body.
        package let response: StoredResponse
        /// The bytes of this response alone, without others of the same URL.
        package let size: Int64
    }

    /// The folder of the store.
    package let path: String
    private let folders: DiskFolders

    /// Opens a store.
    ///
    /// - Parameter directory: The directory as the session names it.
    /// - Returns: nil when no response was ever stored there.
    /// - Throws: The file system's error.
    package static func open(_ directory: String) throws(SystemError) -> DiskInventory? {
        do throws(SystemError) {
            let folders = try DiskFolders(in: directory, create: false)
            return DiskInventory(path: folders.root.path, folders: folders)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The size of all files on disk, bytes.
    package func size() throws(SystemError) -> Int64 {
        let entries = try folders.lists.entries() + folders.bodies.entries()
        return entries.reduce(0 as Int64) { $0.addingSaturated($1.size) }
    }

    /// Passes every response to `body`, ordered by the names of the lists.
    ///
    /// - Throws: The file system's error for the folder; damaged and vanished lists are skipped.
    package func forEachItem(_ body: (Item) -> Void) throws(SystemError) {
        for list in try lists() {
            guard let list = DiskList.read(list.name, in: folders) else { continue }
            for response in list.responses {
                body(
                    Item(
                        url: list.url,
                        response: response,
                        size: response.hasBody ? response.body.length : 0
                    )
                )
            }
        }
    }

    /// Checks every file.
    ///
    /// - Returns: The damaged, missing and leftover files, without those being written now.
    /// - Throws: The file system's error for the folders.
    package func verify() throws(SystemError) -> [CacheFault] {
        let bodies = try folders.bodies.entries().map(\.name)
        var faults: [CacheFault] = []
        var named: Set<String> = []
        for entry in try lists() {
            guard let list = DiskList.read(entry.name, in: folders) else { continue }
            if let fault = list.fault {
                faults.append(CacheFault(name: "lists/\(entry.name)", reason: fault.rawValue))
            }
            for response in list.responses where !response.body.name.isEmpty {
                named.insert(response.body.name)
                if let reason = fault(of: response.body, in: entry.name) {
                    faults.append(CacheFault(name: "bodies/\(response.body.name)", reason: reason))
                }
            }
        }
        let now = Clock.wallNanoseconds()
        for body in Set(bodies).subtracting(named).sorted() {
            guard let entry = folders.bodies.entry(named: body),
                DiskSweep.isLeftOver(entry, at: now)
            else { continue }
            let reason = "no list names this file; the cache removes it when it makes room"
            faults.append(CacheFault(name: "bodies/\(body)", reason: reason, isDamage: false))
        }
        return faults
    }

    /// Removes everything; other processes store nothing meanwhile.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: The file system's error for the folders, or for the first file that remains.
    package func clear() throws(SystemError) -> Int {
        var count = 0
        var firstError: SystemError?
        // The locks keep other processes from listing a body that is removed here.
        let locks = DiskFolders.lockNames.map { try? folders.lock($0) }
        defer { withExtendedLifetime(locks) {} }
        // Lists first: without a list a body is not used.
        for folder in [folders.lists, folders.bodies] {
            for entry in try folder.entries() {
                do throws(SystemError) {
                    try folder.removeForCertain(entry.name)
                    count += 1
                } catch {
                    firstError = firstError ?? error
                }
            }
        }
        folders.root.remove(DiskFolders.usage)
        if let firstError { throw firstError }
        return count
    }

    /// The lists with their final names, sorted by name.
    private func lists() throws(SystemError) -> [Folder.Entry] {
        try folders.lists.entries().filter { !$0.name.hasBytePrefix(".") }.sorted {
            $0.name < $1.name
        }
    }

    /// Why a body does not match its list; nil when it does, or when the list now names another
    /// body.
    private func fault(of body: StoredResponse.Body, in list: String) -> String? {
        do throws(SystemError) {
            let file = try InputFile(in: folders.bodies, name: body.name)
            if file.exposure != nil { return DiskListFault.exposed.rawValue }
            if StoredBody.file(file).isIntact(body) { return nil }
            return
                "the file has \(file.identity.size) of \(body.length) bytes, or its content has "
                + "changed"
        } catch {
            guard error.isMissing else { return DiskListFault.unreadable.rawValue }
        }
        let responses = DiskList.read(list, in: folders)?.responses ?? []
        return responses.contains { $0.body.name == body.name } ? "the file is missing" : nil
    }
}

/// A damaged, missing or leftover file.
package struct CacheFault: Sendable, Hashable {
    /// The file's name in the store.
    package let name: String
    /// The fault of the file, for the user.
    package let reason: String
    /// Whether a stored response is unusable; otherwise the file is a leftover of a killed
    /// process.
    package var isDamage = true
}
