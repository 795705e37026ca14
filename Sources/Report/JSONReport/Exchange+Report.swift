internal import TransferModel

extension TransactionMetrics.SentRequest {
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics.SentRequest
        static let name = "request"
        static let description = "A request as runner sent it"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("method", "The HTTP method") { $0.method }
            members.foreignText("url", "The URL, its user information redacted") { $0.url }
            members.member(
                "headers",
                "The header fields in order, with repeated fields; credentials redacted",
                .array(.object(HeaderField.reportSchema))
            ) { $1.requestFields($0.headers) }
        }
    }
}

extension ResponseHead {
    enum Report: ReportObject {
        typealias Subject = ResponseHead
        static let name = "response"
        static let description = "The head of a final response"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("statusCode", "The status code", .integer(0...999)) {
                Int64($0.statusCode)
            }
            members.optionalForeignText("mimeType", "The media type without parameters") {
                $0.mimeType
            }
            members.member(
                "headers",
                "The header fields in order, with repeated fields; credentials redacted",
                .array(.object(HeaderField.reportSchema))
            ) { $1.fields($0.fields) }
        }
    }
}

extension HeaderField {
    /// The schema of a field as `ReportWriter.fields` writes it.
    static let reportSchema = ObjectSchema(
        name: "headerField",
        description: "One field line",
        members: [
            ObjectSchema.Member(
                name: "name",
                description: "The name as it was written",
                schema: .string
            ),
            ObjectSchema.Member(
                name: "value",
                description: "The value; each byte is the character with the same number",
                schema: .string
            ),
        ]
    )
}
