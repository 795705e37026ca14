extension OutputFile {
    /// Atomically replaces a private file: the old or the new content is always complete.
    ///
    /// - Parameters:
    ///   - name: The file's name, without a slash.
    ///   - folder: The file's folder.
    ///   - content: The new content.
    ///   - isDurable: Whether the content survives a power loss; the name does after a sync of the
    ///     folder.
    /// - Throws: The file system's error; the old file is as it was.
    package static func replacePrivate(
        _ name: String,
        in folder: Folder,
        with content: Span<UInt8>,
        isDurable: Bool = true
    ) throws(SystemError) {
        let file = try OutputFile(
            in: folder,
            name: name,
            mode: 0o600,
            inheritsAccess: false
        )
        try file.write(content)
        if isDurable { try file.syncForPublishing(replacing: true) }
        try file.publish(replacing: true)
    }
}
