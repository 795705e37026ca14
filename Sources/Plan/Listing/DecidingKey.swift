internal import Diagnostics
internal import JobFile
internal import SystemKit
package import TransferModel

extension Plan {
    /// The place of the key that decides about a failure of a task: the key to change if the job
    /// file is at fault; nil if no key of the job decides.
    ///
    /// A task's own key decides before its session's key, the session's before `defaults`, and
    /// those before the top level.
    package func place(deciding failure: TransferFailure, of index: Int) -> SourceLocation? {
        let document = source.reader.document
        let task = source.tasks.entry(of: index).value
        let defaults = TaskListing.defaults(of: self)
        let mappings = [task, session(of: [task, defaults]), defaults, document.root]
            .compactMap(\.self)
        for path in failure.decidingKeys {
            for mapping in mappings {
                guard let key = Self.key(at: path[...], of: mapping, in: document) else { continue }
                return document.location(of: key)
            }
        }
        return nil
    }

    /// The mapping of a task's session; nil if the job declares none.
    private func session(of mappings: [NodeID?]) -> NodeID? {
        let document = source.reader.document
        guard let sessions = document.value(of: document.root, for: "sessions")?.value else {
            return nil
        }
        let name = mappings.lazy.compactMap(\.self)
            .compactMap { document.value(of: $0, for: "session")?.value }
            .first
        guard let name else {
            return document.count(of: sessions) == 1
                ? document.entries(of: sessions).first { _ in true }?.value : nil
        }
        return document.value(of: sessions, for: document.text(of: name))?.value
    }

    /// The key at a path of names; if a value on the path is a short form, the key of that value.
    private static func key(
        at path: ArraySlice<String>,
        of mapping: NodeID,
        in document: Document
    ) -> NodeID? {
        guard let name = path.first, let found = document.value(of: mapping, for: name) else {
            return nil
        }
        let rest = path.dropFirst()
        if rest.isEmpty || document.kind(of: found.value) != .mapping { return found.key }
        return key(at: rest, of: found.value, in: document)
    }
}

extension Document {
    /// The place of a value in its file.
    func location(of node: NodeID) -> SourceLocation {
        let start = range(of: node).start
        let (file, line) = source.place(ofLine: start.line)
        return SourceLocation(
            file: file,
            line: line,
            column: start.column,
            isIncluded: line != start.line
        )
    }
}

extension TransferFailure {
    /// The paths of the keys that may decide, the most likely ones first.
    fileprivate var decidingKeys: [[String]] {
        switch kind {
        // An option of the command line can replace the key, which then has no place.
        case .cancelled where !decidingKey.isEmpty: [decidingKey]
        case _ where !decidingKey.isEmpty: [decidingKey, ["url"], ["host"]]
        case .resolve, .connect, .tls, .reset, .truncated, .protocolViolation, .rangeMismatch,
            .network:
            [["url"], ["host"]]
        case .timeout: [["steps"], ["url"], ["host"]]
        case .stalled: [["minimumRate"]]
        case .power: [["isDiscretionary"]]
        case .suspended: [["identifier"]]
        case .httpStatus: [["expect", "statusCode"], ["url"]]
        case .mimeType: [["expect", "mimeType"]]
        case .tooLarge: [["expect", "maximumSize"], ["expect"]]
        case .content: [["expect"], ["capture"], ["steps"]]
        case .redirectLimit: [["redirects"], ["url"]]
        case .integrity: [["checksum"], ["url"]]
        case .signature: [["signature"], ["url"]]
        case .localIO: decidingKeysOfFiles
        case .cache: [["cachePolicy"], ["requestCachePolicy"]]
        case .cancelled: [["needs"]]
        case .condition: [["when"], ["needs"]]
        case .engine: []
        }
    }

    /// The keys of a task's input decide before the phase `receive`, the keys of its output from
    /// then on.
    private var decidingKeysOfFiles: [[String]] {
        let read = [["file"], ["stream"], ["multipart"]]
        let written = [["to"], ["becomeDownload", "to"]]
        return phase == .receive || phase == .finish
            ? written + read + [["url"]] : read + written + [["url"], ["steps"]]
    }
}
