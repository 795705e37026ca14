package import Diagnostics
internal import SystemKit

extension Document {
    /// What a value is.
    package func kind(of id: NodeID) -> NodeKind {
        switch target(id).kind {
        case .scalar, .alias: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The elements of a sequence in order; none of another value.
    package func elements(of id: NodeID) -> Elements {
        Elements(of: tree.resolved(id.index), in: self)
    }

    /// The entries of a mapping: its own in order, then what `<<` merges, in order; none of another
    /// value.
    ///
    /// An own key wins over a merged one, an earlier merge over a later.
    package func entries(of id: NodeID) -> Entries {
        Entries(of: tree.resolved(id.index), in: self)
    }

    /// Number of elements or entries; 0 of a scalar.
    package func count(of id: NodeID) -> Int {
        let index = tree.resolved(id.index)
        let node = tree.nodes[index]
        switch node.kind {
        case .scalar, .alias: return 0
        case .sequence: return Int(node.length)
        case .mapping:
            guard node.flags.contains(.hasMerge) else { return Int(node.length / 2) }
            return entries(of: id).reduce(0) { count, _ in count + 1 }
        }
    }

    /// Whether a mapping may lack entries, because one of its merges is a fault that a diagnostic
    /// tells.
    package func hasFaultyMerge(_ id: NodeID) -> Bool {
        MergedEntries.hasFault(tree.resolved(id.index), in: tree)
    }

    /// The entry of a mapping whose key is `key`, merges included.
    package func value(of id: NodeID, for key: String) -> (key: NodeID, value: NodeID)? {
        entries(of: id).first { hasText($0.key, equalTo: key) }
    }

    /// Whether a value is a scalar of this text, whatever its style.
    package func hasText(_ id: NodeID, equalTo text: String) -> Bool {
        let index = tree.resolved(id.index)
        guard tree.nodes[index].kind == .scalar else { return false }
        return tree.withBytes(of: index) { $0.equals(text.utf8.span) }
    }

    /// Whether any scalar of the document, a key or a value, has that text; it looks at all of
    /// them.
    package func hasScalar(_ text: String) -> Bool {
        let length = text.utf8.count
        return tree.nodes.indices.contains { index in
            tree.nodes[index].kind == .scalar && tree.nodes[index].length == length
                && tree.withBytes(of: index) { $0.equals(text.utf8.span) }
        }
    }

    /// The text of a scalar as YAML reads it, escapes and folds resolved; empty for a collection.
    package func text(of id: NodeID) -> String {
        withBytes(of: id) { $0.text }
    }

    /// The bytes of `text(of:)`, UTF-8, for the time of the call.
    package func withBytes<Result, Failure: Error>(
        of id: NodeID,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try tree.withBytes(of: tree.resolved(id.index), body)
    }

    /// Whether a scalar contains `${`.
    package func hasInterpolation(_ id: NodeID) -> Bool {
        target(id).flags.contains(.hasInterpolation)
    }

    /// Whether a scalar stands there without quotes and is no block of text.
    package func isPlain(_ id: NodeID) -> Bool {
        target(id).flags.contains(.isPlain)
    }

    /// Where a value's text stands, quotes and brackets included; of an alias, the alias.
    package func range(of id: NodeID) -> SourceRange {
        tree.range(of: id.index)
    }

    /// What a scalar is by its tag, or else by its looks when it is plain; a collection is a string
    /// here.
    package func scalar(of id: NodeID) -> Scalar {
        let node = target(id)
        return withBytes(of: id) {
            CoreSchema.resolve($0, tag: node.tag, isPlain: node.flags.contains(.isPlain))
        }
    }

    func target(_ id: NodeID) -> Node {
        tree.nodes[tree.resolved(id.index)]
    }
}
