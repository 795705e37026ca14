/// Why an archive was not extracted.
package enum ArchiveFault: Error, Sendable, Hashable {
    /// The library cannot be loaded.
    case noLibrary
    /// The archive is damaged, encrypted, or of another format; the library's words.
    case unreadable(String)
    /// An entry must not be extracted, for the reason in words.
    case refused(String)
    /// The archive exceeds a limit, which the words name.
    case tooLarge(String)
    /// A folder exists that must not be replaced, or a file that is no folder.
    case occupied(SystemError)
    /// The file system's error.
    case system(SystemError)
}
