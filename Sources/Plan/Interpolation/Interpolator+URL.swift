internal import Diagnostics
internal import JobFile

// Where values become parts of a URL.
extension Interpolator {
    /// The text of a URL, whose values stay within their parts; like
    /// `scalarOrStandIn` otherwise.
    mutating func urlOrStandIn(_ field: Field, _ faults: inout FaultReporter) -> ScalarValue? {
        guard faults.document.kind(of: field.node) == .scalar,
            faults.document.hasInterpolation(field.node)
        else {
            return scalarOrStandIn(field, &faults)
        }
        guard let pieces = filledPieces(field, takesRaw: { _ in true }, &faults) else { return nil }
        if pieces.contains(where: \.value.isOfPeer) { hasCaptureInURL = true }
        do {
            let url = try FilledURL.fill(pieces)
            if faults.log.takesWarnings {
                warnOfRawValues(in: pieces, field, "may change other parts of the URL", &faults)
            }
            // A value that is the whole URL keeps its type, so that null is found.
            return pieces.count == 1 ? pieces[0].value : url
        } catch {
            let text = faults.document.text(of: field.node)
            faults.report(error.fault, of: field, at: error.expression.range, in: text)
            return nil
        }
    }

    /// Warns of a value that may be more than its part of a URL or path, with the harm.
    func warnOfRawValues(
        in pieces: [FilledPiece],
        _ field: Field,
        _ harm: String,
        _ faults: inout FaultReporter
    ) {
        for piece in pieces {
            guard let expression = piece.expression, expression.isRaw else { continue }
            let range = faults.range(
                of: expression.range,
                in: faults.document.text(of: field.node),
                field.node
            )
            faults.log.warn(
                .rawInURL,
                "`\(field.name.excerpt)`: this value is filled in without encoding, and \(harm)",
                at: range
            )
        }
    }
}
