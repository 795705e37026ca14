/// The media type of a file that is sent, as the ending of its name says.
enum FileMediaType {
    /// The type of a file without a known ending: any bytes (RFC 2046 §4.5.1).
    static let unknown = "application/octet-stream"

    /// The known endings; a text has no `charset`, because the name of its file does not say that.
    static let known = [
        "csv": "text/csv",
        "gif": "image/gif",
        "gz": "application/gzip",
        "htm": "text/html",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "json": "application/json",
        "jsonl": "application/x-ndjson",
        "md": "text/markdown",
        "ndjson": "application/x-ndjson",
        "pdf": "application/pdf",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "tsv": "text/tab-separated-values",
        "txt": "text/plain",
        "webp": "image/webp",
        "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
    ]

    /// The type of a file at a path, by the text after the last dot of its name, capitals
    /// aside.
    static func of(_ path: String) -> String {
        let name = AbsolutePath.lastComponent(of: path).utf8
        // A dot in front hides a file, and ends no name.
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
            let ending = String(name[name.index(after: dot)...])
        else { return unknown }
        return known[ending.lowercased()] ?? unknown
    }
}
