/// Archives that Python's `tarfile` and `zipfile` write as told, however hostile.
package enum TestArchive {
    /// Makes an archive by lines of Python.
    ///
    /// The lines call `file(name, content, mode)`, `folder(name)`, `link(name, target)`,
    /// `hard(name, target)`, `special(name, type)` and, for a zip archive, `zipped(name, content)`.
    ///
    /// - Parameters:
    ///   - lines: The entries in their order.
    ///   - format: `tar`, `tar.gz`, `tar.bz2`, `tar.xz` or `zip`.
    /// - Returns: The bytes of the archive.
    /// - Throws: `MissingTool` when Python fails.
    package static func make(_ lines: String, format: String = "tar") throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let outcome = try Command(
            "python3",
            ["-c", prelude + lines + "\narchive.close()\n", folder.path("archive"), format]
        ).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool("python3", outcome.standardError)
        }
        return try folder.read("archive")
    }

    /// A tar archive by another compression program.
    package static func compress(_ archive: [UInt8], by program: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try folder.write(archive, to: "archive")
        let outcome = try Command(
            "sh",
            ["-c", "exec \"$0\" -c <archive >packed", program],
            workingFolder: folder.path
        ).run()
        guard outcome.status == .exit(0) else { throw MissingTool(program, outcome.standardError) }
        return try folder.read("packed")
    }

    private static let prelude = """
        import io, sys, tarfile, warnings, zipfile
        warnings.simplefilter("ignore")
        path, format = sys.argv[1:]
        if format == "zip":
            archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        else:
            archive = tarfile.open(path, "w:" + format[4:], format=tarfile.GNU_FORMAT)
        def entry(name, type, content=b"", mode=0o644, target=""):
            info = tarfile.TarInfo(name)
            info.type, info.size, info.mode, info.linkname = type, len(content), mode, target
            info.mtime = 1000000000
            archive.addfile(info, io.BytesIO(content))
        def file(name, content=b"content", mode=0o644): entry(name, tarfile.REGTYPE, content, mode)
        def folder(name, mode=0o755): entry(name, tarfile.DIRTYPE, mode=mode)
        def link(name, target): entry(name, tarfile.SYMTYPE, target=target)
        def hard(name, target): entry(name, tarfile.LNKTYPE, target=target)
        def special(name, type): entry(name, type)
        def zipped(name, content=b"content", mode=0o100644):
            info = zipfile.ZipInfo(name)
            info.external_attr, info.create_system = mode << 16, 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)

        """
}
