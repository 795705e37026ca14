/// The content of a request body and its source.
package enum BodySource: Sendable, Hashable {
    case bytes([UInt8])
    /// The bytes to send under a `Content-Encoding`, and their count before encoding.
    case compressed([UInt8], originalCount: Int)
    /// An absolute path; opened once for each attempt, which compares size and modification time
    /// before and after. With `within`, no link of the path may lead out of that folder.
    case file(path: String, within: String? = nil)
    /// The parts of a `multipart/form-data` body (RFC 7578); each attempt chooses its own boundary.
    case multipart([BodyPart])
    /// A program's standard output, of unknown length; the program runs again for each request.
    ///
    /// The program and its arguments, and the absolute path of its working folder.
    indirect case command([String], folder: String)
    /// The content of a named pipe, of unknown length and readable once; an absolute path.
    case pipe(path: String)
}

/// One part of a `multipart/form-data` body.
package struct BodyPart: Sendable, Hashable {
    /// The content's source.
    package enum Content: Sendable, Hashable {
        case bytes([UInt8])
        /// An absolute path, handled like that of `BodySource.file`.
        case file(path: String, within: String? = nil)
    }

    /// The `name` parameter of its `Content-Disposition` (RFC 7578 §4.2).
    package var name: String
    /// The `filename` of its `Content-Disposition`; nil for none.
    package var fileName: String?
    /// The fields except `Content-Disposition`; may include `Content-Type`.
    package var headers: [HeaderField]
    /// The bytes of the part, or the file that has them.
    package var content: Content

    /// Creates a part of a form; without `fileName` it is a plain field.
    package init(
        name: String,
        fileName: String? = nil,
        headers: [HeaderField] = [],
        content: Content
    ) {
        self.name = name
        self.fileName = fileName
        self.headers = headers
        self.content = content
    }
}
