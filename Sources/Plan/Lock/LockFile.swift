internal import JSON
package import SystemKit
package import TransferModel

/// The lock file of a job: the properties of each download when it was locked.
///
/// It is JSON with one line for each download, between a first and a last line, so that a review
/// reads the difference. The bytes depend on the downloads alone: they have no date, no machine and
/// no secret.
package struct LockFile: Sendable {
    /// Why a text is no lock file.
    package struct Fault: Error, Hashable {
        /// The fault, in words without a final full stop.
        package var message: String
        /// The offset in bytes.
        package var offset: Int
    }

    /// A download as the lock file has it.
    package struct Entry: Sendable {
        /// The settings of the download when it was locked.
        package let declared: DeclaredDownload
        /// The server's file when the download was locked.
        package let locked: LockedDownload
        /// The line without its comma.
        package let line: [UInt8]
        /// The offset of the line in the file, bytes.
        package let offset: Int
    }

    /// The version of the format that this program reads and writes.
    package static let formatVersion: Int64 = 1
    /// The most bytes of a lock file: some 150,000 downloads.
    package static let mostBytes = 64 << 20

    private static let first = #"{"formatVersion":\#(formatVersion),"downloads":["#
    private static let last = "]}"
    /// The most values of one line, which limits the cost of a hostile line.
    private static let mostValues = 10_000
    /// How Git begins the lines of a conflict.
    private static let conflictMarks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]

    /// The downloads by their ids.
    package private(set) var entries: [ByteText: Entry] = [:]

    /// Reads a lock file.
    ///
    /// - Parameter bytes: Its content; one byte more than `mostBytes` is enough of a larger one.
    /// - Throws: The first fault.
    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.mostBytes else {
            throw Fault(message: "the lock file is larger than 64 MiB", offset: 0)
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            for mark in Self.conflictMarks where line.starts(with: mark.utf8) {
                throw Fault(
                    message: "the lock file has a merge conflict: keep one side's lines",
                    offset: line.startIndex
                )
            }
        }
        try Self.checkFirst(lines.first ?? bytes[...])
        guard lines.count > 1, let last = lines.last, last.elementsEqual(Self.last.utf8) else {
            let offset = lines.last?.startIndex ?? 0
            throw Fault(message: "the lock file ends without a line `\(Self.last)`", offset: offset)
        }
        let middle = lines.dropFirst().dropLast()
        entries.reserveCapacity(middle.count)
        for (number, line) in middle.enumerated() {
            try add(line, isLast: number == middle.count - 1)
        }
    }

    /// The download of an id; nil when the lock file does not have it.
    package subscript(id: String) -> Entry? { entries[ByteText(id)] }

    private static func checkFirst(_ line: ArraySlice<UInt8>) throws(Fault) {
        let front: JSONValue
        do throws(JSONSyntaxError) {
            front = try JSONValue(bytes: Array(line) + Array(last.utf8), mostValues: mostValues)
        } catch {
            throw Fault(
                message: "the first line of a lock file is `\(first)`, and this is no JSON: "
                    + error.reason,
                offset: line.startIndex + min(error.offset, line.count)
            )
        }
        guard let version = front["formatVersion"]?.integer else {
            throw Fault(message: "the lock file has no `formatVersion`", offset: line.startIndex)
        }
        guard version == formatVersion else {
            throw Fault(
                message: "the lock file has formatVersion \(version); this version reads "
                    + "\(formatVersion)",
                offset: line.startIndex
            )
        }
        guard line.elementsEqual(first.utf8) else {
            throw Fault(
                message: "the first line of a lock file is `\(first)`",
                offset: line.startIndex
            )
        }
    }

    private mutating func add(_ line: ArraySlice<UInt8>, isLast: Bool) throws(Fault) {
        let hasComma = line.last == UInt8(ascii: ",")
        guard hasComma != isLast else {
            throw Fault(
                message: isLast ? "a comma follows the last download" : "expected a comma",
                offset: max(line.startIndex, line.endIndex - 1)
            )
        }
        let text = Array(hasComma ? line.dropLast() : line)
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(bytes: text, mostValues: Self.mostValues)
        } catch {
            throw Fault(message: error.reason, offset: line.startIndex + error.offset)
        }
        let reader = LockLine(value, text, at: line.startIndex)
        let (declared, locked) = try reader.download()
        let entry = Entry(declared: declared, locked: locked, line: text, offset: line.startIndex)
        guard entries.updateValue(entry, forKey: ByteText(declared.id)) == nil else {
            throw Fault(message: "duplicate download `\(declared.id)`", offset: line.startIndex)
        }
    }

    /// The text of a lock file with some lines, which it sorts by the bytes of their ids.
    package static func text(of lines: [ByteText: [UInt8]]) -> [UInt8] {
        let ids = lines.keys.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        var text = Array((first + "\n").utf8)
        for (number, id) in ids.enumerated() {
            text += lines[id] ?? []
            text += (number < ids.count - 1 ? ",\n" : "\n").utf8
        }
        return text + Array((last + "\n").utf8)
    }

    /// The line of a download, without a comma.
    package static func line(_ declared: DeclaredDownload, _ locked: LockedDownload) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", declared.id)
        writer.member("url", declared.url)
        writer.array("mirrors", of: declared.mirrors) { $1.string($0) }
        writer.member("to", declared.destination)
        writer.optional("checksum", declared.checksum)
        writer.optional("finalUrl", locked.finalURL)
        writer.optional("validator", locked.validator)
        writer.member("size", locked.size)
        writer.member("sha256", locked.sha256)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ name: String, _ value: String?) {
        guard let value else {
            key(name)
            return null()
        }
        member(name, value)
    }
}

/// One line of a lock file, read member by member.
private struct LockLine {
    private let value: JSONValue
    private let text: [UInt8]
    private let start: Int

    init(_ value: JSONValue, _ text: [UInt8], at start: Int) {
        self.value = value
        self.text = text
        self.start = start
    }

    func download() throws(LockFile.Fault) -> (DeclaredDownload, LockedDownload) {
        guard case .object(let members) = value else {
            throw fault("expected an object for each download")
        }
        for member in members
        where !LockSchema.members.contains(where: { $0.name == member.name }) {
            throw fault("unknown member `\(member.name)`", at: member.name)
        }
        guard case .array(let mirrors) = try member("mirrors"),
            mirrors.allSatisfy({ $0.string != nil })
        else { throw fault("`mirrors` is no list of texts", at: "mirrors") }
        guard let size = try member("size").integer, size >= 0 else {
            throw fault("`size` is no number of bytes", at: "size")
        }
        let sha256 = try string("sha256")
        guard sha256.utf8.count == 64,
            sha256.utf8.allSatisfy({ $0.hexadecimalValue != nil && !(65...90).contains($0) })
        else { throw fault("`sha256` has no 64 lower-case hexadecimal digits", at: "sha256") }
        let declared = DeclaredDownload(
            id: try string("id"),
            url: try string("url"),
            mirrors: mirrors.compactMap(\.string),
            destination: try string("to"),
            checksum: try optionalString("checksum")
        )
        let locked = LockedDownload(
            finalURL: try optionalString("finalUrl"),
            validator: try optionalString("validator"),
            size: size,
            sha256: sha256
        )
        return (declared, locked)
    }

    private func member(_ name: String) throws(LockFile.Fault) -> JSONValue {
        guard let found = value[name] else { throw fault("`\(name)` is missing") }
        return found
    }

    private func string(_ name: String) throws(LockFile.Fault) -> String {
        guard let text = try member(name).string else {
            throw fault("`\(name)` is no text", at: name)
        }
        return text
    }

    private func optionalString(_ name: String) throws(LockFile.Fault) -> String? {
        try member(name).isNull ? nil : string(name)
    }

    /// A fault at a member, or else at the beginning of the line.
    private func fault(_ message: String, at name: String? = nil) -> LockFile.Fault {
        let mark = name.map { Array("\"\($0)\"".utf8) } ?? []
        let offset = mark.isEmpty ? nil : text.indices.first { text[$0...].starts(with: mark) }
        return LockFile.Fault(message: message, offset: start + (offset ?? 0))
    }
}
