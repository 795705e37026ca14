internal import TransferModel

extension TransactionMetrics.SentRequest {
    static let report = ReportObject<Self>(
        "request",
        "A request as it was sent",
        [
            .string("method", "The HTTP method") { $0.method },
            .foreignText("url", "The URL, its user information redacted") { $0.url },
            ReportField(
                "headers",
                "The fields in order, repeats included; credentials redacted",
                .array(.object(HeaderField.reportSchema)),
                .composite { $1.requestFields($0.headers) }
            ),
        ]
    )
}

extension ResponseHead {
    static let report = ReportObject<Self>(
        "response",
        "The head of a final response",
        [
            .integer("statusCode", "The status code", .integer(0...999)) {
                Int64($0.statusCode)
            },
            .optionalForeignText("mimeType", "The media type without parameters") {
                $0.mimeType
            },
            ReportField(
                "headers",
                "The fields in order, repeats included; credentials redacted",
                .array(.object(HeaderField.reportSchema)),
                .composite { $1.responseFields($0.fields) }
            ),
        ]
    )
}

extension HeaderField {
    /// The shape of what `ReportWriter.fields` writes for each field.
    static let reportSchema = ObjectSchema(
        name: "headerField",
        description: "One field line",
        members: [
            ObjectSchema.Member(
                name: "name",
                description: "The name as written",
                schema: .string
            ),
            ObjectSchema.Member(
                name: "value",
                description: "The value; each byte is the character of the same number",
                schema: .string
            ),
        ]
    )
}
