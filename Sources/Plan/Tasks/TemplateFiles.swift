internal import JSON
internal import SystemKit

/// The files that bodies are made of: each is read once, while the job is checked.
///
/// A class, because a reader and its copies for other threads and for the run share the content.
final class TemplateFiles: Sendable {
    private struct State {
        var texts: [String: Result<String, TemplateFileFault>] = [:]
        var values: [String: Result<JSONValue, TemplateFileFault>] = [:]
        var bytes: Int64 = 0
    }

    /// The limit of one file and of a body in memory, bytes.
    static let largestFile: Int64 = 16 << 20
    /// The limit of all files together, bytes.
    static let mostBytes: Int64 = 64 << 20

    private let open: @Sendable (String) -> (any DataFile)?
    private let state = Lock(State())

    /// No file was read yet; `open` opens the file of an absolute path.
    init(_ open: @escaping @Sendable (String) -> (any DataFile)?) { self.open = open }

    /// The absolute paths of the files that were read.
    var paths: [String] { state.withLock { Array($0.texts.keys) } }

    /// The text of the file of an absolute path.
    func text(_ path: String) -> Result<String, TemplateFileFault> {
        state.withLock { text(path, &$0) }
    }

    /// The JSON value of the file of an absolute path.
    func json(_ path: String) -> Result<JSONValue, TemplateFileFault> {
        state.withLock { state in
            if let known = state.values[path] { return known }
            let value = text(path, &state).flatMap(Self.json(of:))
            state.values[path] = value
            return value
        }
    }

    private func text(_ path: String, _ state: inout State) -> Result<String, TemplateFileFault> {
        if let known = state.texts[path] { return known }
        let text = read(path, &state)
        state.texts[path] = text
        return text
    }

    private func read(_ path: String, _ state: inout State) -> Result<String, TemplateFileFault> {
        guard let file = open(path) else { return .failure(.unreadable) }
        state.bytes += file.size
        guard file.size <= Self.largestFile, state.bytes <= Self.mostBytes else {
            return .failure(.tooLarge)
        }
        guard let bytes = file.content else {
            return .failure(.unreadable)
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let text = bytes.span.extracting((hasMark ? 3 : 0)..<bytes.count).text else {
            return .failure(.notUTF8)
        }
        return .success(text)
    }

    private static func json(of text: String) -> Result<JSONValue, TemplateFileFault> {
        let bytes = Array(text.utf8)
        do throws(JSONSyntaxError) {
            return .success(try JSONValue(bytes: bytes))
        } catch {
            let before = bytes.prefix(error.offset)
            let line = before.count { $0 == 10 } + 1
            let lastLine = before.lastIndex(of: 10).map { before[($0 + 1)...] } ?? before
            let column = lastLine.count { $0 & 0xC0 != 0x80 } + 1
            let isExpression = bytes.dropFirst(error.offset).starts(with: "${".utf8)
            return .failure(
                .notJSON(error.reason, line: line, column: column, isExpression: isExpression)
            )
        }
    }
}

/// Why a file cannot be a template.
enum TemplateFileFault: Error, Sendable {
    case unreadable
    /// More than `largestFile`, or `mostBytes` with the files before.
    case tooLarge
    case notUTF8
    /// Not JSON, with the line and the column of the fault.
    case notJSON(String, line: Int, column: Int, isExpression: Bool)
}
