package import Diagnostics

/// The result of parsing a text: the document, unless it is unreadable, and all problems.
package struct ParseResult: Sendable {
    /// Present even with problems that leave the tree intact, so that more can be found.
    package let document: Document?
    /// In file order.
    package let diagnostics: [Diagnostic]
}

/// A YAML text as a located tree, which never changes.
///
/// Aliases are followed for every property of a value except its place.
package final class Document: Sendable {
    /// The text, for showing places in it.
    package let source: SourceText
    let tree: Tree

    /// Bytes of all texts, with the expansion of every alias.
    package let expandedLength: Int

    private init(source: SourceText, tree: Tree, expandedLength: Int) {
        self.source = source
        self.tree = tree
        self.expandedLength = expandedLength
    }

    /// A copy for another thread: two threads that count references to one object slow each other.
    package var twin: Document {
        Document(source: source, tree: tree, expandedLength: expandedLength)
    }

    /// The name of the text.
    package var name: String { source.name }

    /// The outermost value.
    package var root: NodeID { NodeID(index: 0) }

    /// Reads one YAML document within `DocumentLimits`.
    ///
    /// Problems that do not depend on the file's subject become diagnostics with a `yaml.` code.
    package static func parse(_ bytes: [UInt8], name: String) -> ParseResult {
        let isLarge = bytes.count >= shortestCutText
        return parse(bytes, name: name, cutBy: isLarge ? .usual : nil, ahead: PartsOnThread.self)
    }

    /// Parses in pieces of a given length; for tests.
    package static func parse(
        _ bytes: [UInt8],
        name: String,
        inPiecesOf length: Int
    ) -> ParseResult {
        let measure = Cut.Measure(head: length, piece: length, window: length)
        return parse(bytes, name: name, cutBy: measure, ahead: PartsOnThread.self)
    }

    /// For shorter texts, a second thread costs more than it saves.
    private static let shortestCutText = 2 << 20

    /// Parses one YAML document, in pieces if there is a measure; the result is the same.
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
        // A piece would not know the directives at the beginning.
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
