import Glibc

/// A file beside the tests: `Fixtures/name.yaml`, and what is said about it in `Fixtures/name.expected.txt`.
///
/// `RUNNER_UPDATE_FIXTURES=1 swift test --filter FixtureTests` writes the expected texts anew; read the difference
/// before you keep it.
struct Fixture: CustomStringConvertible {
    let name: String

    var description: String { name }

    static var isUpdating: Bool { unsafe getenv("RUNNER_UPDATE_FIXTURES") != nil }

    /// All fixtures by name.
    static var all: [Fixture] {
        guard let folder = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name.hasSuffix(".yaml") { names.append(String(name.dropLast(5))) }
        }
        return names.sorted().map(Fixture.init(name:))
    }

    var input: [UInt8] { Self.read(Self.folder + "/" + name + ".yaml") ?? [] }

    var expected: String? {
        Self.read(Self.folder + "/" + name + ".expected.txt").map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func update(_ text: String) {
        guard let file = unsafe fopen(Self.folder + "/" + name + ".expected.txt", "w") else {
            return
        }
        defer { unsafe fclose(file) }
        unsafe fputs(text, file)
    }

    private static let folder: String = {
        let path = #filePath
        return path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex) + "/Fixtures"
    }()

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = unsafe fgetc(file), byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return bytes
    }
}
