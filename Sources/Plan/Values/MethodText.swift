internal import Diagnostics

/// Request methods: case-sensitive tokens (RFC 9110 §9.1).
enum MethodText {
    static let uploadMethods = ["POST", "PUT", "PATCH"]
    private static let standard = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"] + uploadMethods

    /// A standard name, or a token that is none of them, capitals aside, and not CONNECT.
    static let pattern =
        "^((\(standard.joined(separator: "|")))|(?!("
        + (standard + ["CONNECT"]).map(eitherCase).joined(separator: "|")
        + ")$)\(HeaderRule.namePattern.dropFirst().dropLast()))$"
    static let uploadPattern = "^(\(uploadMethods.joined(separator: "|")))$"

    private static func eitherCase(_ name: String) -> String {
        name.map { "[\($0)\($0.lowercased())]" }.joined()
    }

    static func parse(_ text: String) throws(ValueFault) -> String {
        guard HeaderRule.isToken(text) else {
            throw ValueFault(.badMethod, "`\(text.excerpt)` is not a method")
        }
        let upper = text.uppercased()
        guard upper != "CONNECT" else {
            throw ValueFault(
                .badMethod,
                "`\(text.excerpt)` opens a tunnel and cannot be the method of a task"
            )
        }
        if upper != text, standard.contains(upper) {
            throw ValueFault(.badMethod, "methods are case-sensitive", likely: upper)
        }
        return text
    }

    /// A method of an upload: one that gives its body a meaning.
    static func parseUpload(_ text: String) throws(ValueFault) -> String {
        let method = try parse(text)
        guard uploadMethods.contains(method) else {
            throw ValueFault(
                .badMethod,
                "an upload is POST, PUT or PATCH, not `\(method)`",
                help: "write a request without a body under `data`"
            )
        }
        return method
    }
}
