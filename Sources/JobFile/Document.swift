package import Diagnostics

/// What came of a text: the document, unless it is too broken to be read, and all that is wrong with it.
package struct ParseResult: Sendable {
    /// Present also beside faults that leave the tree whole, so that more can be found.
    package let document: Document?
    /// In file order.
    package let diagnostics: [Diagnostic]
}

/// A YAML text as a located tree, which never changes.
///
/// Aliases are followed wherever a value is asked for, except for its place, which is the alias's own.
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

    /// The name that the text was given.
    package var name: String { source.name }

    /// The outermost value.
    package var root: NodeID { NodeID(index: 0) }

    /// Reads one YAML document within `DocumentLimits`.
    ///
    /// Every fault that can be found without knowing what the file is about becomes a diagnostic of a `yaml.` code.
    package static func parse(_ bytes: [UInt8], name: String) -> ParseResult {
        let source = SourceText(name: name, bytes: bytes)
        let input: InputCheck
        do throws(InputCheck.Refusal) {
            input = try InputCheck(source)
        } catch {
            return ParseResult(document: nil, diagnostics: [error.diagnostic])
        }
        let cursor = SourceCursor(base: input.base, isASCII: input.isASCII)
        var builder = TreeBuilder(source, cursor: cursor)
        let isWhole = EventReader.read(bytes, from: input.base) { builder.build(from: $0) }
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
