/// The text that positions refer to, under the name that the user gave it.
package struct SourceText: Sendable {
    /// As it was given on the command line.
    package let name: String
    /// UTF-8; it may hold invalid bytes when it is shown to say so.
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
