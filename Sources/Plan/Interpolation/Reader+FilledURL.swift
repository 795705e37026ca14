internal import Diagnostics
internal import JobFile

// Where values become parts of a URL.
extension Reader {
    /// The text of a URL, whose values stay in the parts in which they stand; like
    /// `scalarOrStandIn` otherwise.
    mutating func urlOrStandIn(_ field: Field) -> ScalarValue? {
        guard document.kind(of: field.node) == .scalar, document.hasInterpolation(field.node) else {
            return scalarOrStandIn(field)
        }
        guard let pieces = filledPieces(field, ofURL: true) else { return nil }
        do {
            let url = try FilledURL.fill(pieces)
            if log.takesWarnings { warnOfRawValues(in: pieces, field) }
            // A value that is the whole URL keeps its type, so that null is found.
            return pieces.count == 1 ? pieces[0].value : url
        } catch {
            let range = range(
                of: error.expression.range,
                in: document.text(of: field.node),
                field.node
            )
            report(error.fault, of: field, at: range)
            return nil
        }
    }

    /// A URL that is not asked for but shown; nil when some of it is secret, or not known yet.
    mutating func shownURL(_ field: Field) -> String? {
        guard let url = urlOrStandIn(field), url.secrets.isEmpty, !url.isKnownLater else {
            return nil
        }
        return url.text
    }

    /// Tells where a value may be more than the part of the URL in which it stands.
    private mutating func warnOfRawValues(in pieces: [FilledPiece], _ field: Field) {
        for case let expression? in pieces.map(\.expression) where expression.isRaw {
            let range = range(
                of: expression.range,
                in: document.text(of: field.node),
                field.node
            )
            log.add(
                Diagnostic(
                    .warning,
                    .rawInURL,
                    "`\(field.name.excerpt)`: this value is filled in as it is, "
                        + "and may be more than a part of the URL",
                    at: range
                )
            )
        }
    }
}
