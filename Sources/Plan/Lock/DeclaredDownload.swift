internal import JobFile
internal import SystemKit
internal import TransferModel

/// The settings of a download on which a lock file depends; a placeholder replaces each secret.
package struct DeclaredDownload: Sendable, Hashable {
    /// The id, with its key in a `forEach`.
    package let id: String
    /// The URL.
    package let url: String
    /// The URLs of the mirrors, in their order.
    package let mirrors: [String]
    /// The path of `to` as in the job file.
    package let destination: String
    /// The checksum, or where it comes from; nil without one.
    package let checksum: String?

    /// A download as a job file or a lock file has it.
    package init(
        id: String,
        url: String,
        mirrors: [String],
        destination: String,
        checksum: String?
    ) {
        self.id = id
        self.url = url
        self.mirrors = mirrors
        self.destination = destination
        self.checksum = checksum
    }

    /// The download of a draft, whose settings are at an entry of the document.
    init(_ draft: TaskDraft, id: String, _ entry: TaskList.Entry, in document: Document) {
        let place = { document.value(of: entry.value, for: $0)?.value }
        let mirrors = place("mirrors").map { Array(document.elements(of: $0)) } ?? []
        self.init(
            id: id,
            url: draft.url.map { Self.text(of: $0, at: place("url"), in: document) } ?? "",
            mirrors: draft.mirrors.enumerated()
                .map { number, mirror in
                    let node = mirrors.indices.contains(number) ? mirrors[number] : nil
                    return Self.text(of: mirror, at: node, in: document)
                },
            destination: draft.destination?.text ?? "",
            checksum: draft.checksum.map(Self.text)
        )
    }

    /// A URL whose query is as the job file has it: what an expression puts there may be a
    /// credential, and lock files are shared.
    private static func text(
        of url: TransferURL,
        at node: NodeID?,
        in document: Document
    ) -> String {
        guard let node, document.kind(of: node) == .scalar, document.hasInterpolation(node) else {
            return url.text
        }
        let written = document.text(of: node)
        guard let path = url.withoutQuery else { return written }
        return path + query(of: written)
    }

    /// The query of a URL with expressions, from its question mark on; empty without one.
    private static func query(of text: String) -> Substring {
        var depth = 0
        var isBehindDollar = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if depth == 0, byte == UInt8(ascii: "?") { return text[index...] }
            if byte == UInt8(ascii: "{"), isBehindDollar || depth > 0 { depth += 1 }
            if byte == UInt8(ascii: "}"), depth > 0 { depth -= 1 }
            isBehindDollar = byte == UInt8(ascii: "$")
        }
        return ""
    }

    private static func text(of checksum: TaskSpec.ExpectedChecksum) -> String {
        switch checksum {
        case .digest(let checksum):
            let digits = checksum.digest.map { $0.padded(to: 2, radix: 16) }
            return "\(checksum.algorithm.rawValue):\(digits.joined())"
        case .listed(let list):
            let name = list.name.map { " as \($0)" } ?? ""
            let url = list.url.withoutQuery ?? list.url.text
            return "\(list.algorithm.rawValue) from \(url)\(name)"
        }
    }

    /// The id without the key of a `forEach`: of the task in the job file.
    package static func taskID(of id: String) -> String {
        guard id.utf8.last == UInt8(ascii: "]"), let parts = id.cut(atFirst: "[") else {
            return id
        }
        return String(parts.before)
    }

    /// The keys that differ from the lock file's, each with the value here and there.
    func differences(from other: DeclaredDownload) -> [(key: String, own: String, other: String)] {
        func shown(_ mirrors: [String]) -> String { mirrors.joined(separator: ", ") }
        return [
            ("url", url, other.url),
            ("mirrors", shown(mirrors), shown(other.mirrors)),
            ("to", destination, other.destination),
            ("checksum", checksum ?? "", other.checksum ?? ""),
        ].filter { !$0.1.hasSameBytes(as: $0.2) }
    }
}
