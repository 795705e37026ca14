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

    private init(source: SourceText, tree: Tree) {
        self.source = source
        self.tree = tree
    }

    /// The name of the text.
    package var name: String { source.name }

    /// The outermost value.
    package var root: NodeID { NodeID(index: 0) }

    /// Reads one YAML document within `DocumentLimits`.
    ///
    /// Problems that do not depend on the file's subject become diagnostics with a `yaml.` code.
    package static func parse(_ bytes: [UInt8], name: String) -> ParseResult {
        let source = SourceText(name: name, bytes: bytes)
        let input: InputCheck
        do throws(InputCheck.Refusal) {
            input = try InputCheck(source)
        } catch {
            return ParseResult(document: nil, diagnostics: [error.diagnostic])
        }
        let cursor = SourceCursor(base: input.base, isASCII: input.isASCII)
        let (builder, isWhole) = TreeBuilder.read(source, cursor: cursor)
        return ParseResult(
            document: isWhole ? Document(source: source, tree: builder.tree) : nil,
            diagnostics: builder.diagnostics.inFileOrder
        )
    }
}
