internal import SystemKit

/// The text of a written report, read from front to back, also a compressed one.
///
/// Each pass over the text reads the file anew, so that a report of any size takes the memory of
/// its longest line.
struct ReportText {
    private enum Content {
        case bytes([UInt8])
        case file(InputFile)
    }

    /// The bytes of one read.
    private static let pieceSize = 1 << 20

    private let content: Content

    init(_ bytes: [UInt8]) { content = .bytes(bytes) }

    init(of file: InputFile) { content = .file(file) }

    /// The whole text.
    func whole() throws -> [UInt8] {
        var text: [UInt8] = []
        try forEachPiece { text.append($0) }
        return text
    }

    /// Calls `body` for each line without its line feed.
    ///
    /// - Returns: Whether the text ends with a line feed.
    func forEachLine(_ body: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
        var rest: [UInt8] = []
        try forEachPiece { piece in
            let known = rest.count
            rest.append(piece)
            var start = 0
            var search = known
            while let end = rest[search...].firstIndex(of: UInt8(ascii: "\n")) {
                try body(rest[start..<end])
                start = end + 1
                search = start
            }
            rest.removeFirst(start)
        }
        if !rest.isEmpty { try body(rest[...]) }
        return rest.isEmpty
    }

    /// Calls `body` for each piece of the text, expanded.
    private func forEachPiece(_ body: (Span<UInt8>) throws -> Void) throws {
        var expander: GzipExpander?
        var isFirst = true
        try forEachStoredPiece { piece in
            if isFirst, GzipExpander.isGzip(piece) {
                expander = GzipExpander()
                guard expander != nil else {
                    throw ReportFault(message: "it is compressed, and \(Gzip.library) is missing")
                }
            }
            isFirst = false
            guard let expander else { return try body(piece) }
            do {
                try expander.expand(piece, to: body)
            } catch is GzipExpander.Corruption {
                throw ReportFault(message: "its gzip data are damaged")
            }
        }
        if let expander, !expander.isComplete {
            throw ReportFault(message: "its gzip data are incomplete")
        }
    }

    private func forEachStoredPiece(_ body: (Span<UInt8>) throws -> Void) throws {
        switch content {
        case .bytes(let bytes):
            try body(bytes.span)
        case .file(let file):
            var offset: Int64 = 0
            while true {
                let piece = try file.read(at: offset, count: Self.pieceSize)
                if piece.isEmpty { return }
                offset += Int64(piece.count)
                try body(piece.span)
            }
        }
    }
}
