package import Diagnostics
internal import SystemKit

extension Document {
    /// The kind of a value.
    package func kind(of id: NodeID) -> NodeKind {
        switch target(id).kind {
        case .scalar, .alias: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The elements of a sequence in order; empty for another value.
    package func elements(of id: NodeID) -> Elements {
        Elements(of: tree.resolved(id.index), in: self)
    }

    /// The entries of a mapping in order, its own and then those merged by `<<`; empty for another
    /// value.
    ///
    /// An own key overrides a merged one, and an earlier merge overrides a later one.
    package func entries(of id: NodeID) -> Entries {
        Entries(of: tree.resolved(id.index), in: self)
    }

    /// The value of an entry of a mapping, by its key's node.
    package func value(behind key: NodeID) -> NodeID {
        NodeID(index: tree.nodes[key.index].next(after: key.index))
    }

    /// The entries of a mapping that `entries(of:)` omits because their keys are no scalars.
    package func omittedEntries(of id: NodeID) -> [Entries.Element] {
        let mapping = tree.resolved(id.index)
        guard tree.nodes[mapping].kind == .mapping else { return [] }
        var omitted: [Entries.Element] = []
        var index = mapping + 1
        while index < Int(tree.nodes[mapping].reach) {
            let key = index
            let value = tree.nodes[key].next(after: key)
            index = tree.nodes[value].next(after: value)
            if kind(of: NodeID(index: key)) != .scalar {
                omitted.append((NodeID(index: key), NodeID(index: value)))
            }
        }
        return omitted
    }

    /// The number of elements or entries; 0 for a scalar.
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

    /// Whether a mapping may lack entries because one of its merges is faulty and was reported.
    package func hasFaultyMerge(_ id: NodeID) -> Bool {
        Entries.hasFaultyMerge(tree.resolved(id.index), in: tree)
    }

    /// The entry of a mapping with a key, including merges.
    package func value(of id: NodeID, for key: String) -> (key: NodeID, value: NodeID)? {
        entries(of: id).first { hasText($0.key, equalTo: key) }
    }

    /// Whether a value is a scalar with this text, in any style.
    package func hasText(_ id: NodeID, equalTo text: String) -> Bool {
        let index = tree.resolved(id.index)
        guard tree.nodes[index].kind == .scalar else { return false }
        return tree.withBytes(of: index) { $0.equals(text.utf8.span) }
    }

    /// Whether any scalar of the document, key or value, has that text; checks all of them.
    package func hasScalar(_ text: String) -> Bool {
        let length = text.utf8.count
        return tree.nodes.indices.contains { index in
            tree.nodes[index].kind == .scalar && tree.nodes[index].length == length
                && tree.withBytes(of: index) { $0.equals(text.utf8.span) }
        }
    }

    /// The text of a scalar, with escapes and folds resolved; empty for a collection.
    package func text(of id: NodeID) -> String {
        withBytes(of: id) { $0.text }
    }

    /// The UTF-8 bytes of `text(of:)`, during the call.
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

    /// Whether a scalar has neither quotes nor block style.
    package func isPlain(_ id: NodeID) -> Bool {
        target(id).flags.contains(.isPlain)
    }

    /// The range of a value's text, quotes and brackets included; for an alias, the alias.
    package func range(of id: NodeID) -> SourceRange {
        tree.range(of: id.index)
    }

    /// The type of a scalar by its tag, or by its text when it is plain; a collection counts as a
    /// string.
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
