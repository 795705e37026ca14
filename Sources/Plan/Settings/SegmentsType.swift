internal import JobFile
internal import TransferModel

/// `segments`: over how many connections a file is fetched at the same time.
enum SegmentsType {
    private static let number = ValueType<Int>.integer(1...TaskSpec.Segments.most)

    static let type = ValueType<TaskSpec.Segments>(
        .either(.integer(1...TaskSpec.Segments.most), .choice(["auto"]))
    ) { reader, field in
        guard let scalar = reader.scalar(field) else { return nil }
        if scalar.text == "auto" { return .automatic }
        if case .string = Scalar(plain: scalar.text) {
            reader.reportType(field, "an integer or `auto`", found: scalar, likely: nil)
            return nil
        }
        return number.read(&reader, field).map { .count($0) }
    }
}
