extension OutputFile {
    /// Replaces a file that only its owner may read: of two contents there is always one, whole.
    ///
    /// - Parameters:
    ///   - name: The file's name, without a slash.
    ///   - folder: The folder that it is in.
    ///   - content: What it holds from now on.
    ///   - isDurable: Whether the content survives a power loss; the name does when the folder is
    ///     synced.
    /// - Throws: What the file system says; the old file is as it was.
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
            keepsModeOfReplacedFile: false
        )
        try file.write(content)
        if isDurable { try file.syncForPublishing(replacing: true) }
        try file.publish(replacing: true)
    }
}
