internal import SystemKit

/// The files that a `glob` has found, in the order of their names below the pattern's folder.
struct FileRows: Sendable {
    /// A found file.
    struct File: Sendable {
        /// The folder before the first wildcard, absolute.
        var base: String
        /// Below the base.
        var relativePath: String
        /// Where the file must be when it is read, below the base: empty for the base itself, nil
        /// for a link that the job names.
        var rootName: String? = ""

        /// The folder that no link of the path may leave, absolute; nil for a link that the job
        /// names.
        var root: String? {
            rootName.map { $0.isEmpty && !base.isEmpty ? base : base + "/" + $0 }
        }

        /// Absolute.
        var path: String { base + "/" + relativePath }

        /// The values of a file, as `columns` name them.
        var fields: [String] {
            [path, relativePath, String(AbsolutePath.lastComponent(of: relativePath))]
        }
    }

    /// The names of a file's values.
    static let columns = ["path", "relativePath", "name"]

    let files: [File]

    /// The key of a file: its path, or for a long path a hash of the whole path, then its end.
    static func key(of relativePath: String, longest: Int) -> String {
        guard relativePath.utf8.count > longest else { return relativePath }
        // FNV-1a, 64 bits: the same in every run.
        let hash = relativePath.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        let number = String(repeating: "0", count: 16 - digits.utf8.count) + digits
        var end = Substring(relativePath).unicodeScalars
        while end.reduce(0, { $0 + UTF8.width($1) }) > longest - 17 { end.removeFirst() }
        return number + "~" + String(end)
    }
}
