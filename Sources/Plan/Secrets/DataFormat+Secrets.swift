internal import Diagnostics

extension DataFormat {
    /// The ranges of a shown row that may hold secrets.
    ///
    /// A row of a CSV file with a column for secrets is hidden as a whole: where fields are missing
    /// or quotes are wrong, any field may be the secret.
    func confidentialRanges(in row: SourceText, _ columns: [String]) -> [SourceRange] {
        switch self {
        case .csv:
            guard columns.contains(where: SecretName.isOne) else {
                return ConfidentialText(ofLinesIn: row).ranges
            }
            return [
                SourceRange(
                    start: SourcePosition(line: row.firstLine, column: 1),
                    end: SourcePosition(line: .max, column: 1)
                )
            ]
        case .jsonLines, .lines: return ConfidentialText(ofLinesIn: row).ranges
        }
    }
}
