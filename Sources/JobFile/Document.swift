package import Diagnostics

/// What came of a text: the document, unless it is too broken to be read, and all that is wrong
/// with it.
package struct ParseResult: Sendable {
    /// Present also beside faults that leave the tree whole, so that more can be found.
    package let document: Document?
    /// In file order.
    package let diagnostics: [Diagnostic]
}

/// A YAML text as a located tree, which never changes.
///
/// Aliases are followed wherever a value is asked for, except for its place, which is the alias's
/// own.
package final class Document: Sendable {
    /// The text, for whoever shows a place in it.
    package let source: SourceText
    let tree: Tree

    /// Bytes of all texts, every alias counted as all that it stands for.
    package let expandedLength: Int

    private init(source: SourceText, tree: Tree, expandedLength: Int) {
        self.source = source
        self.tree = tree
        self.expandedLength = expandedLength
    }

    /// The same document for another thread: two that count references to one object hold each
    /// other up.
    package var twin: Document {
        Document(source: source, tree: tree, expandedLength: expandedLength)
    }

    /// The name that the text was given.
    package var name: String { source.name }

    /// The outermost value.
    package var root: NodeID { NodeID(index: 0) }

    /// Reads one YAML document within `DocumentLimits`.
    ///
    /// Every fault that can be found without knowing what the file is about becomes a diagnostic of
    /// a `yaml.` code.
    package static func parse(_ bytes: [UInt8], name: String) -> ParseResult {
        let isLarge = bytes.count >= shortestCutText
        return parse(bytes, name: name, cutBy: isLarge ? .usual : nil, ahead: PartsOnThread.self)
    }

    /// The same in shorter pieces, of some bytes; for tests.
    package static func parse(
        _ bytes: [UInt8],
        name: String,
        inPiecesOf length: Int
    ) -> ParseResult {
        let measure = Cut.Measure(head: length, piece: length, window: length)
        return parse(bytes, name: name, cutBy: measure, ahead: PartsOnThread.self)
    }

    /// Of shorter texts, a second thread costs more than it saves.
    private static let shortestCutText = 256 << 10

    /// Reads one YAML document, in pieces when there is a measure for them; what comes of it is the
    /// same.
    static func parse<Ahead: PartsAhead>(
        _ bytes: [UInt8],
        name: String,
        cutBy measure: Cut.Measure?,
        ahead: Ahead.Type
    ) -> ParseResult {
        let source = SourceText(name: name, bytes: bytes)
        let input: InputCheck
        do throws(InputCheck.Refusal) {
            input = try InputCheck(source)
        } catch {
            return ParseResult(document: nil, diagnostics: [error.diagnostic])
        }
        let cursor = SourceCursor(base: input.base, isASCII: input.isASCII)
        var cuts: [Cut] = []
        // A piece would not know what the directives before it say.
        if let measure, !input.hasTagDirectives { cuts = Cut.all(in: bytes.span, by: measure) }
        let (builder, isWhole) =
            PiecewiseReading<Ahead>.read(source, cursor: cursor, cuts: cuts)
            ?? TreeBuilder.read(source, cursor: cursor)
        let diagnostics = builder.diagnostics.inFileOrder
        guard isWhole else { return ParseResult(document: nil, diagnostics: diagnostics) }
        return ParseResult(
            document: Document(
                source: source,
                tree: builder.tree,
                expandedLength: builder.expandedBytes
            ),
            diagnostics: diagnostics
        )
    }
}
