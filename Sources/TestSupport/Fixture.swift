import Glibc

/// A file beside tests, `Fixtures/name.yaml`, and its expected text in
/// `Fixtures/name.expected.txt`.
///
/// `RUNNER_UPDATE_FIXTURES=1 swift test --filter FixtureTests` rewrites the expected texts; review
/// the difference before you keep it.
package struct Fixture: Sendable, CustomStringConvertible {
    /// The name of the files without their endings.
    package let name: String
    private let folder: String

    /// The name, which the test's output shows.
    package var description: String { name }

    /// Whether to rewrite the expected texts instead of comparing them.
    package static var isUpdating: Bool { unsafe getenv("RUNNER_UPDATE_FIXTURES") != nil }

    /// All fixtures in a folder beside a source file, by name.
    package static func all(
        in folderName: String = "Fixtures",
        beside file: String = #filePath
    ) -> [Fixture] {
        let folder = file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex) + "/" + folderName
        guard let stream = unsafe opendir(String(folder)) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name.hasSuffix(".yaml") { names.append(String(name.dropLast(5))) }
        }
        return names.sorted().map { Fixture(name: $0, folder: String(folder)) }
    }

    /// The bytes of the `.yaml` file; empty when it cannot be read.
    package var input: [UInt8] { Self.read("\(folder)/\(name).yaml") ?? [] }

    /// The text of the `.expected.txt` file; nil when there is none.
    package var expected: String? {
        Self.read("\(folder)/\(name).expected.txt").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Replaces the expected text.
    package func update(_ text: String) {
        Self.write(Array(text.utf8), to: "\(folder)/\(name).expected.txt")
    }

    /// Replaces the content of a file.
    package static func write(_ bytes: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "w") else { return }
        defer { unsafe fclose(file) }
        for byte in bytes { unsafe fputc(Int32(byte), file) }
    }

    /// The bytes of a file; nil when it cannot be opened.
    package static func read(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = unsafe fread(&piece, 1, piece.count, file), count > 0 {
            bytes += piece[..<count]
        }
        return bytes
    }
}
