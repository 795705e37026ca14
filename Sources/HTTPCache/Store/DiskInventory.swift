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
        /// Whether something that was stored cannot be used; otherwise a process that was killed
        /// has left it.
        package var isDamage = true
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
    /// - Throws: What the file system says of the folder; what is damaged or vanishes meanwhile is
    ///   left out.
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

    /// Looks at every file.
    ///
    /// - Returns: What is damaged, missing or left over. What is being written meanwhile is no
    ///   fault.
    /// - Throws: What the file system says of the folders.
    package func verify() throws(SystemError) -> [Fault] {
        let bodies = try folders.bodies.entries().map(\.name)
        var faults: [Fault] = []
        var named: Set<String> = []
        for entry in try lists() {
            guard let list = DiskList.read(entry.name, in: folders) else { continue }
            if let fault = list.fault {
                faults.append(Fault(name: "lists/\(entry.name)", reason: fault.rawValue))
            }
            for response in list.responses where !response.body.name.isEmpty {
                named.insert(response.body.name)
                if let reason = fault(of: response.body, in: entry.name) {
                    faults.append(Fault(name: "bodies/\(response.body.name)", reason: reason))
                }
            }
        }
        let now = Clock.wallNanoseconds()
        for body in Set(bodies).subtracting(named).sorted() {
            guard let entry = folders.bodies.entry(named: body),
                DiskSweep.isLeftOver(entry, at: now)
            else { continue }
            let reason = "no list has it; it goes when room is made"
            faults.append(Fault(name: "bodies/\(body)", reason: reason, isDamage: false))
        }
        return faults
    }

    /// Removes everything; others store nothing meanwhile.
    ///
    /// - Returns: How many files are gone.
    /// - Throws: What the file system says of the folders, and of the first file that is still
    ///   there.
    package func clear() throws(SystemError) -> Int {
        var count = 0
        var firstError: SystemError?
        // Nobody lists a body meanwhile that is removed here.
        let locks = DiskFolders.lockNames.map { try? folders.lock($0) }
        defer { withExtendedLifetime(locks) {} }
        // The lists first: what no list has is not used.
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

    /// Those that have their names, in the order of these.
    private func lists() throws(SystemError) -> [Folder.Entry] {
        try folders.lists.entries().filter { !$0.name.hasPrefix(".") }.sorted { $0.name < $1.name }
    }

    /// Why a body is not what its list says; nil when it is, or when the list has another one by
    /// now.
    private func fault(of body: StoredResponse.Body, in list: String) -> String? {
        do throws(SystemError) {
            let file = try InputFile(in: folders.bodies, name: body.name)
            if file.exposure != nil { return DiskList.Fault.exposed.rawValue }
            if StoredBody.file(file).isIntact(body) { return nil }
            return "it has \(file.identity.size) bytes of \(body.length), or others than it had"
        } catch {
            guard error.isMissing else { return DiskList.Fault.unreadable.rawValue }
        }
        let responses = DiskList.read(list, in: folders)?.responses ?? []
        return responses.contains { $0.body.name == body.name } ? "it is missing" : nil
    }
}
