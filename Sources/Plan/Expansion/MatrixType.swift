internal import Diagnostics
internal import JobFile

/// The values of `matrix` and `exclude`.
enum MatrixType {
    /// Reads `matrix` and `exclude`; nil after a fault, or with more than `most` combinations.
    static func matrix(_ field: Field, exclude: Field?, most: Int, _ reader: inout Reader)
        -> Matrix?
    {
        guard reader.isMapping(field) else { return nil }
        var names: [String] = []
        var texts: [[String]] = []
        var lists: [[NodeID]] = []
        let isFaultless = reader.isFaultless { reader in
            for entry in reader.document.entries(of: field.node) {
                let name = reader.document.text(of: entry.key)
                let inner = Field(name: name, key: entry.key, node: entry.value)
                guard let list = reader.elements(inner, of: .text) else { continue }
                names.append(name)
                texts.append(list)
                lists.append(Array(reader.document.elements(of: entry.value)))
            }
        }
        guard isFaultless else { return nil }
        // Above the limit the exact number does not matter.
        let count = texts.reduce(1) { min($0, most + 1) * $1.count }
        guard !names.isEmpty, count <= most else {
            reader.report(
                .outOfRange,
                names.isEmpty
                    ? "`matrix`: there are no values to combine"
                    : "`matrix`: there are more than \(most) combinations",
                at: field.node
            )
            return nil
        }
        return reader.ifFaultless { reader in
            let excluded = exclude.map { numbers($0, names, texts, most: most, &reader) }
            return Matrix(names: names, values: lists, excluded: excluded ?? [])
        }
    }

    /// The numbers of the combinations that are left out, ascending.
    private static func numbers(
        _ field: Field,
        _ names: [String],
        _ texts: [[String]],
        most: Int,
        _ reader: inout Reader
    ) -> [Int] {
        guard reader.isList(field) else { return [] }
        var numbers: [Int] = []
        let sizes = texts.map(\.count)
        for node in reader.document.elements(of: field.node) {
            guard
                let positions = reader.ifFaultless({ positions(of: node, names, texts, &$0) })
            else { continue }
            numbers += Matrix.numbers(of: positions, sizes: sizes)
            guard numbers.count <= 10 * most else {
                reader.report(
                    .outOfRange,
                    "`exclude`: too many entries leave out the same combinations",
                    at: node
                )
                return []
            }
        }
        return Set(numbers).sorted()
    }

    /// The positions of the values that an exclusion gives, nil for a name that it leaves out.
    private static func positions(
        of node: NodeID,
        _ names: [String],
        _ texts: [[String]],
        _ reader: inout Reader
    ) -> [Int?]? {
        guard reader.document.kind(of: node) == .mapping else {
            reader.report(
                .wrongType,
                "`exclude`: expected a mapping of names to values, found "
                    + "\(reader.faults.name(of: node))",
                at: node
            )
            return nil
        }
        guard reader.document.count(of: node) > 0 else {
            reader.report(
                .outOfRange,
                "`exclude`: a mapping without names would leave out every combination",
                at: node
            )
            return nil
        }
        var positions = [Int?](repeating: nil, count: names.count)
        for entry in reader.document.entries(of: node) {
            let name = reader.document.text(of: entry.key)
            guard let number = names.firstIndex(of: name) else {
                let nearest = reader.faults.hints.nearest(name, among: names)
                let fault = ValueFault(
                    .unknownField,
                    "`matrix` has no name `\(name.excerpt)`",
                    likely: nearest
                )
                reader.report(
                    fault,
                    of: Field(name: "exclude", key: entry.key, node: entry.key)
                )
                continue
            }
            let inner = Field(name: name, key: entry.key, node: entry.value)
            guard let text = reader.text(inner) else { continue }
            positions[number] = texts[number].firstIndex(of: text)
            if positions[number] == nil {
                let fault = ValueFault(
                    .badValue,
                    "`\(text.excerpt)` is not among the values of the matrix",
                    likely: reader.faults.hints.nearest(text, among: texts[number])
                )
                reader.report(fault, of: inner)
            }
        }
        return positions
    }
}
