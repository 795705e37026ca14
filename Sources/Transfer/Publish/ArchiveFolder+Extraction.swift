internal import SystemKit
internal import TransferModel

extension ArchiveFolder {
    /// Extracts a complete, verified file that has no name yet.
    ///
    /// `isOwn` says whether a content is what an earlier run of the task extracted. The result has
    /// the new content only when a later run may replace it.
    func extract(
        _ file: OutputFile,
        isDurable: Bool,
        isOwn: @escaping (FolderContent) -> Bool
    ) throws(ArchiveFault) -> (ExtractedArchive, content: FolderContent?) {
        let summary = try ArchiveExtraction.extract(
            file,
            to: ArchiveExtraction.Target(
                path: path,
                replaces: replacement == .any,
                stripComponents: stripComponents,
                limits: limits,
                isDurable: isDurable
            ),
            mayReplace: replacement == .own ? isOwn : nil
        )
        return (
            ExtractedArchive(path: displayPath, entries: summary.entries, size: summary.bytes),
            summary.content
        )
    }
}

extension TransferFailure {
    /// An archive that could not be extracted.
    ///
    /// - Parameters:
    ///   - fault: The reason.
    ///   - path: The path of the archive, as in the job file.
    ///   - isProven: Whether the archive has its checksum, so that another attempt gets the same.
    ///   - folder: The path of the folder, as in the job file.
    init(_ fault: ArchiveFault, of path: String, isProven: Bool, _ folder: String) {
        let isRefused: Bool
        switch fault {
        case .noLibrary:
            self.init(
                kind: .engine,
                phase: .finish,
                detail: "the library `\(ArchiveReader.library)` cannot be loaded"
            )
            (isRefused, isPermanent) = (false, true)
        case .unreadable(let words):
            let detail = "`\(path)` cannot be extracted: \(words)"
            self.init(kind: .integrity, phase: .finish, detail: detail)
            (isRefused, isPermanent) = (true, isProven)
        case .refused(let words):
            let detail = "`\(path)` cannot be extracted: \(words)"
            self.init(kind: .integrity, phase: .finish, detail: detail)
            (isRefused, isPermanent) = (true, true)
        case .tooLarge(let words):
            let detail = "`\(path)` cannot be extracted: \(words)"
            self.init(kind: .tooLarge, phase: .finish, detail: detail)
            (isRefused, isPermanent) = (true, true)
        case .occupied(let error):
            self.init(error, phase: .finish)
            detail = "`\(folder)` exists already, and `\(path)` is not extracted"
            help =
                "remove it, or set `ifExists: replace` in `extract` to replace a folder with files that "
                + "no run of the job extracted"
            isRefused = false
        case .system(let error):
            self.init(error, phase: .finish)
            isRefused = false
        }
        guard isRefused else { return }
        urlError = .cannotDecodeRawData
        help = "nothing was written to `\(path)` and `\(folder)`"
    }
}
