/// What a request carries, and where it comes from.
package enum BodySource: Sendable, Hashable {
    case bytes([UInt8])
    /// What is sent under a `Content-Encoding`, and how many bytes it was before.
    case compressed([UInt8], originalCount: Int)
    /// An absolute path; opened once per attempt, size and modification time compared before and
    /// after.
    case file(path: String)
    /// The parts of a `multipart/form-data` body (RFC 7578); each attempt chooses a boundary of its
    /// own.
    case multipart([BodyPart])
    /// What a program writes to its standard output, without a length; run again for each request
    /// that needs it.
    ///
    /// The program and its arguments, at least one, and the absolute path of the folder that it
    /// runs in.
    indirect case command([String], folder: String)
    /// What comes out of a named pipe, without a length and once only; an absolute path.
    case pipe(path: String)
}

/// One part of a `multipart/form-data` body.
package struct BodyPart: Sendable, Hashable {
    /// Where its content comes from.
    package enum Content: Sendable, Hashable {
        case bytes([UInt8])
        /// An absolute path, treated as that of `BodySource.file`.
        case file(path: String)
    }

    package var name: String
    /// `filename` of its `Content-Disposition`; nil leaves it out.
    package var fileName: String?
    /// Its fields besides `Content-Disposition`, `Content-Type` among them.
    package var headers: [HeaderField]
    package var content: Content

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
