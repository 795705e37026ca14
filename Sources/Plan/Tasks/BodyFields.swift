internal import TransferModel

/// The header fields that describe the body of a request.
enum BodyFields {
    static let typeName = "Content-Type"
    static let codingName = "Content-Encoding"
    static let jsonType = type("application/json")
    private static let bytesType = type(FileMediaType.unknown)
    private static let textType = type("text/plain; charset=utf-8")
    private static let formType = type("application/x-www-form-urlencoded")
    private static let gzip = HeaderField(name: codingName, value: "gzip")

    static func type(_ value: String) -> HeaderField { HeaderField(name: typeName, value: value) }

    static func type(ofFile path: String) -> HeaderField { type(FileMediaType.of(path)) }

    /// Adds the fields of a task's body; an allowed field of the job takes precedence.
    static func add(of draft: TaskDraft, to headers: inout [HeaderField]) {
        let type: HeaderField
        switch draft.body {
        case .json: type = jsonType
        case .text, .textFile: type = textType
        case .file(let path): type = self.type(ofFile: path)
        case .form: type = formType
        case .stream(let stream): type = stream.contentType.map { self.type($0) } ?? bytesType
        case .multipart:
            // The sender of the body chooses its boundary.
            headers.removeAll { $0.name.lowercased() == typeName.lowercased() }
            return
        case nil: return
        }
        if draft.encoding?.value.content == .gzip {
            headers.removeAll { $0.name.lowercased() == codingName.lowercased() }
            headers.append(gzip)
        }
        if !headers.contains(type.name) { headers.append(type) }
    }
}
