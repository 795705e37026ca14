@testable import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Parts as one run leaves them and the next one finds them.
@Suite struct PartialDownloadTests {
    private let folder: TemporaryFolder
    private static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    init() throws {
        folder = try TemporaryFolder()
    }

    private var destination: TaskSpec.Destination {
        .init(path: folder.path("out"), displayPath: "out", resume: .acrossRuns)
    }

    private func names() throws -> PartialNames { try #require(PartialNames(of: "out")) }

    private func part(
        _ bytes: [UInt8] = bytes,
        url: String = "http://a/"
    ) throws -> PartialDownload {
        let folder = try Folder(path: folder.path, create: false)
        let file = try OutputFile(in: folder, name: "out")
        try file.write(bytes.span)
        return PartialDownload(
            file: file,
            folder: folder,
            path: destination.path,
            url: url,
            source: .url("http://c/file"),
            validator: .entityTag("\"one\""),
            total: 200_000,
            names: try names()
        )
    }

    private static func traits(_ accept: String) -> RequestTraits {
        RequestTraits([HeaderField(name: "Accept", value: accept)])
    }

    private func change(_ command: String) throws {
        let outcome = try Command("sh", ["-c", command], workingFolder: folder.path).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    /// Leaves a part with a checkpoint, as a process that ends does.
    private func leave(
        checkpointAt length: Int64? = 60_000,
        _ reach: PartialDurability = .powerLoss,
        boot: String = "boot",
        url: String = "http://a/"
    ) throws {
        do {
            let part = try part(url: url)
            part.keep(Self.traits("d"), bootIdentifier: boot)
            if let length { part.checkpoint(at: length, reach) }
            #expect(part.isKept)
        }
        try waitUntilLeft()
    }

    private func waitUntilLeft() throws {
        // A child of another test briefly has all descriptors, and with them the lock.
        let folder = try Folder(path: folder.path, create: false)
        _ = (0..<1_000_000).first { _ in
            (try? OutputFile(kept: ".out.part", in: folder, name: "out")) != nil
        }
    }

    private func find(
        url: String = "http://a/",
        accept: String = "d",
        boot: String = "boot"
    ) throws -> PartialDownload? {
        PartialDownload.find(
            try names(),
            of: destination,
            urls: [url, "http://mirror/"],
            traits: Self.traits(accept),
            bootIdentifier: boot
        )
    }

    @Test func `a partial file and its record are readable by their owner alone`() throws {
        try leave()
        #expect(try folder.list() == [".out.part", ".out.part.record"])
        #expect(try folder.mode(of: ".out.part") == 0o600)
        #expect(try folder.mode(of: ".out.part.record") == 0o600)
    }

    @Test func `a partial file without a valid record is removed`() throws {
        try leave(checkpointAt: nil)
        #expect(try find() == nil)
        #expect(try folder.list() == [])
    }

    @Test(arguments: [60_000, 100_000] as [Int64], ["boot", "another"])
    func `bytes without a valid record are dropped`(checkpoint: Int64, boot: String) throws {
        try leave(checkpointAt: checkpoint)
        let part = try #require(try find(boot: boot))
        #expect(part.size == checkpoint)
        #expect(try part.verify())
        #expect(
            part.offer(to: "http://a/", hasChecksum: false)
                == ResumeOffer(
                    offset: checkpoint,
                    total: 200_000,
                    validator: .entityTag("\"one\"")
                )
        )
    }

    @Test func `unsynced bytes count until the machine restarts`() throws {
        try leave(checkpointAt: 60_000, .process)
        #expect(try find()?.size == 60_000)
        #expect(try find(boot: "another") == nil)
    }

    /// The effects of a power loss on an unsynced note.
    @Test(arguments: [
        "truncate -s $size $f", "truncate -s $size $f && truncate -s +700 $f",
        "truncate -s -1 $f", "truncate -s -80 $f", "truncate -s -200 $f",
        "truncate -s $size $f && echo >>$f", "sed -i '3s/80000/90000/' $f",
    ])
    func `an unsynced note does not damage a synced one`(damage: String) throws {
        let count = try leaveUnsyncedNote()
        try change("f=.out.part.record; size=\(count); \(damage)")
        let left = try #require(try find(boot: "another"))
        #expect(left.size == 60_000)
        #expect(try left.verify())
        // The next note follows the last whole one.
        try left.file.write(Self.bytes.span.extracting(60_000..<90_000))
        left.checkpoint(at: 90_000, .process)
        #expect(try recorded() == 90_000)
    }

    @Test func `an unsynced note is valid until the machine restarts`()
        throws
    {
        _ = try leaveUnsyncedNote()
        #expect(try find()?.size == 80_000)
        #expect(try find(boot: "another")?.size == 60_000)
    }

    /// Leaves a part with a note that was synced and one that was not; returns the length of the
    /// first one.
    private func leaveUnsyncedNote() throws -> Int {
        let count: Int
        do {
            let part = try part()
            part.keep(Self.traits("d"), bootIdentifier: "boot")
            part.checkpoint(at: 60_000, .powerLoss)
            let synced = try folder.read(".out.part.record")
            part.checkpoint(at: 80_000, .process)
            let noted = try folder.read(".out.part.record")
            #expect(noted.starts(with: synced) && noted.count > synced.count)
            count = synced.count
        }
        try waitUntilLeft()
        return count
    }

    /// How much the record vouches for.
    private func recorded() throws -> Int64? {
        let last = SealedLine.lastValue(in: try folder.read(".out.part.record"))
        return last.flatMap { PartialRecord($0.value)?.vouchedLength }
    }

    @Test func `a record stays small, however many notes are added`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        part.checkpoint(at: 1, .powerLoss)
        for length in 2...500 as ClosedRange<Int64> {
            part.checkpoint(at: length, .process)
            #expect(try folder.read(".out.part.record").count <= SealedLine.maximumSize)
            #expect(try recorded() == length)
        }
    }

    @Test func `a partial file can be queried while its record is written`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        let answers = Lock<[Bool]?>(nil)
        var thread: JoinableThread?
        // Its lock is held as by a thread that waits for the disk.
        try part.writing.withLock { _ in
            thread = try JoinableThread(name: "asks") {
                let found = [
                    part.isKept, part.mayQueueCheckpoint(), part.mayQueueCheckpoint(),
                    part.isSpoilt,
                ]
                answers.withLock { $0 = found }
            }
            try folder.wait(for: "the answers") { answers.withLock { $0 != nil } }
        }
        thread?.join()
        #expect(answers.withLock { $0 } == [true, true, false, false])
    }

    @Test func `each run hashes the bytes it adds without reading the earlier ones`() throws {
        try leave(checkpointAt: 60_000)
        do {
            let part = try #require(try find())
            try part.file.write(Self.bytes.span.extracting(60_000..<90_000))
            part.checkpoint(at: 80_000, .process, while: { false })
            #expect(!part.isSpoilt)
        }
        do {
            let part = try #require(try find())
            #expect(part.size == 80_000)
            #expect(try part.verify())
            try part.file.write(Self.bytes.span.extracting(80_000..<100_000))
            part.checkpoint(at: 100_000, .process)
        }
        do {
            let part = try #require(try find())
            #expect(part.size == 100_000)
            #expect(try part.verify())
        }
        // The first run has synced its bytes, the others have not.
        let part = try #require(try find(boot: "another"))
        #expect(part.size == 60_000)
        #expect(try part.verify())
    }

    @Test func `a partial file of one of several URLs is resumed at that URL`() throws {
        try leave(url: "http://mirror/")
        let part = try #require(try find())
        #expect(part.offer(to: "http://a/", hasChecksum: true)?.validator == nil)
        #expect(
            part.offer(to: "http://mirror/", hasChecksum: true)?.validator
                == .entityTag("\"one\"")
        )
    }

    @Test func `another URL resumes a partial file only with a checksum`() throws {
        let part = try part()
        #expect(part.offer(to: "http://b/", hasChecksum: false) == nil)
        #expect(
            part.offer(to: "http://b/", hasChecksum: true)
                == ResumeOffer(offset: 100_000, total: 200_000, validator: nil)
        )
    }

    /// Changes a byte of the beginning in place: it stays the same file.
    private func spoilBeginning() throws {
        var bytes = Self.bytes
        bytes[59_999] ^= 1
        let tool = "dd of=.out.part conv=notrunc status=none"
        let outcome = try Command(
            "sh",
            ["-c", "printf '\\\(String(bytes[59_999], radix: 8))' | \(tool) bs=1 seek=59999"],
            workingFolder: folder.path
        ).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    /// Leaves 60,000 bytes, and behind a gap those from 100,000 to 150,000.
    private func leavePieces() throws {
        do {
            let part = try part(Array(Self.bytes.prefix(60_000)))
            part.keep(Self.traits("d"), bootIdentifier: "boot")
            try part.file.write(Self.bytes.span.extracting(0..<50_000), at: 100_000)
            part.setLoose([100_000..<150_000])
            part.checkpoint(at: 60_000, .process)
        }
        try waitUntilLeft()
    }

    @Test func `the bytes behind a gap are found by the next run`() throws {
        try leavePieces()
        do {
            let part = try #require(try find())
            #expect(part.size == 60_000 && part.looseRanges == [100_000..<150_000])
            #expect(part.receivedCount == 110_000)
            #expect(try part.verify())
            // Another connection goes on behind the piece.
            try part.file.write(Self.bytes.span.extracting(50_000..<60_000), at: 150_000)
            part.setLoose([100_000..<160_000])
            part.checkpoint(at: 60_000, .process)
        }
        let part = try #require(try find())
        #expect(part.looseRanges == [100_000..<160_000])
        #expect(try part.verify())
        #expect(try find(boot: "another")?.looseRanges ?? [] == [])
    }

    @Test func `a beginning that has reached a piece includes it`() throws {
        try leavePieces()
        do {
            let part = try #require(try find())
            try part.file.write(Self.bytes.span.extracting(0..<40_000), at: 60_000)
            part.file.join(upTo: 150_000)
            part.setLoose([])
            part.checkpoint(at: 150_000, .process)
        }
        let part = try #require(try find())
        #expect(part.size == 150_000 && part.looseRanges == [])
        #expect(try part.verify())
    }

    @Test func `a changed byte behind a gap is detected, and no note covers it`() throws {
        try leavePieces()
        try change("printf x | dd of=.out.part conv=notrunc status=none bs=1 seek=120000")
        do {
            let part = try #require(try find())
            #expect(try !part.verify())
        }
        try waitUntilLeft()
        let part = try #require(try find())
        try part.file.write(Self.bytes.span.extracting(0..<40_000), at: 60_000)
        part.file.join(upTo: 150_000)
        part.setLoose([])
        part.checkpoint(at: 150_000, .process)
        #expect(part.isSpoilt)
        #expect(try folder.list() == [])
    }

    @Test func `a changed piece is unproven for good, so that no note vouches for it`() throws {
        try leavePieces()
        let part = try #require(try find())
        let piece = PartialRecord.Piece(range: 100_000..<150_000, digest: "another")
        var prefix = PrefixDigest(behind: [], pieces: [piece])
        try prefix.compare(part.file)
        let (isCorrupt, unproven) = (prefix.isCorrupt, prefix.firstUnproven)
        #expect(isCorrupt && unproven == 100_000)
    }

    @Test func `bytes behind a gap that were dropped are not missed`() throws {
        try leavePieces()
        do {
            let part = try #require(try find())
            try part.dropLoose()
            #expect(part.looseRanges == [] && part.receivedCount == 60_000)
            try part.file.write(Self.bytes.span.extracting(60_000..<90_000))
            part.checkpoint(at: 90_000, .process)
            #expect(try part.verify())
        }
        let part = try #require(try find())
        #expect(part.size == 90_000 && part.looseRanges == [])
    }

    @Test func `a changed beginning is detected`() throws {
        try leave()
        try spoilBeginning()
        let part = try #require(try find())
        #expect(try !part.verify())
    }

    @Test func `all later runs detect a changed byte of an earlier run`() throws {
        try leave()
        do {
            let part = try #require(try find())
            try part.file.write(Self.bytes.span.extracting(60_000..<90_000))
            part.checkpoint(at: 90_000, .powerLoss)
        }
        try spoilBeginning()
        let part = try #require(try find())
        #expect(part.size == 90_000)
        #expect(try !part.verify())
    }

    @Test func `no checkpoint covers a changed beginning`() throws {
        try leave()
        try spoilBeginning()
        let part = try #require(try find())
        part.checkpoint(at: 100_000, .restart)
        #expect(part.isSpoilt)
        #expect(try folder.list() == [])
        #expect(try !part.verify())
        #expect(throws: SystemError.self) { try part.file.publish(replacing: true) }
    }

    @Test func `a partial file that could not be synced is never published`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        part.checkpoint(at: 60_000, .powerLoss)
        // The kernel tells it once.
        #expect(throws: SystemError.self) { try part.file.sync { _ in -1 } }
        part.checkpoint(at: 80_000, .powerLoss)
        #expect(part.isSpoilt)
        #expect(try folder.list() == [])
        #expect(throws: SystemError.self) { try part.file.sync() }
        #expect(throws: SystemError.self) { try part.file.publish(replacing: true) }
        #expect(try folder.list() == [])
    }

    @Test(arguments: [("http://b/", "d"), ("http://a/", "e")])
    func `a partial file of another request is removed`(url: String, accept: String) throws {
        try leave()
        #expect(try find(url: url, accept: accept) == nil)
        #expect(try folder.list() == [])
    }

    @Test func `a partial file has the URL that answered, also in the next run`() throws {
        #expect(try part().isFrom("http://c/file"))
        #expect(try !part().isFrom("http://c/other"))
        try leave()
        let part = try #require(try find())
        #expect(part.isFrom("http://c/file"))
        #expect(!part.isFrom("http://c/other"))
        #expect(try !folder.text(".out.part.record").contains("http://c/"))
    }

    @Test func `without a boot identifier only synced bytes count`()
        throws
    {
        try leave(boot: "")
        #expect(try find(boot: "")?.size == 60_000)
    }

    @Test func `the last byte is never noted, because it is requested again`() throws {
        let folder = try Folder(path: folder.path, create: false)
        do {
            let file = try OutputFile(in: folder, name: "out")
            try file.write(Self.bytes.span)
            let part = PartialDownload(
                file: file,
                folder: folder,
                path: destination.path,
                url: "http://a/",
                source: .url("http://a/"),
                validator: .entityTag("\"one\""),
                total: 100_000,
                names: try names()
            )
            part.keep(Self.traits("d"), bootIdentifier: "boot")
            part.checkpoint(at: 100_000, .restart)
            try file.truncate(to: 99_999)
        }
        let part = try #require(try find())
        #expect(try part.verify())
        #expect(part.offer(to: "http://a/", hasChecksum: false)?.offset == 99_999)
    }

    @Test func `a record alone is removed, if it is ours`() throws {
        try leave()
        try change("rm .out.part")
        #expect(try find() == nil)
        #expect(try folder.list() == [])
        try folder.write("precious", to: ".out.part.record")
        #expect(try find() == nil)
        #expect(try folder.text(".out.part.record") == "precious")
    }

    @Test(arguments: ["0400", "0444", "0644", "0755"])
    func `a partial file that others may read is resumed and made private`(
        mode: String
    ) throws {
        try leave()
        try change("chmod \(mode) .out.part")
        let part = try #require(try find())
        #expect(part.size == 60_000)
        #expect(try folder.mode(of: ".out.part") == 0o600)
    }

    @Test func `a partial file in use is not resumed by a second download`() throws {
        try leave()
        let holder = try find()
        #expect(try find() == nil)
        withExtendedLifetime(holder) {}
    }

    /// Changes that make a partial file foreign or incomplete.
    @Test(arguments: [
        "chmod 620 .out.part", "cp .out.part a && chmod 600 a && mv a .out.part",
        "ln .out.part b", "mv .out.part c && ln -s c .out.part", "rm .out.part",
        "rm .out.part && mkdir .out.part", "rm .out.part && mkfifo .out.part",
        "truncate -s 59999 .out.part", "truncate -s 200001 .out.part",
        "rm .out.part.record", "sed -i 's/^{/{ /' .out.part.record", "chmod 644 .out.part.record",
        ": >.out.part.record",
    ])
    func `a partial file of uncertain origin is not resumed`(change: String) throws {
        try leave()
        try self.change(change)
        #expect(try find() == nil)
    }

    @Test(arguments: [
        ":", "cp .out.part a && mv a .out.part", "chmod 666 .out.part", ": >.out.part.record",
        "truncate -s 100 .out.part.record",
    ])
    func `an unusable partial file is replaced by the next one`(change: String) throws {
        try leave()
        try self.change(change)
        let next = try part([1, 2, 3])
        next.keep(Self.traits("e"), bootIdentifier: "boot")
        #expect(next.isKept)
        #expect(try folder.read(".out.part") == [1, 2, 3])
    }

    @Test(arguments: [": >.out.part.record", "truncate -s 100 .out.part.record"])
    func `a partial file with a torn record is removed`(change: String) throws {
        try leave()
        try self.change(change)
        #expect(try find() == nil)
        #expect(try folder.list() == [])
    }

    @Test(arguments: ["rm .out.part.record", "chmod 644 .out.part.record"])
    func `foreign files are left alone`(change: String) throws {
        try leave()
        try self.change(change)
        let list = try folder.list()
        let next = try part([1, 2, 3])
        next.keep(Self.traits("e"), bootIdentifier: "boot")
        #expect(!next.isKept)
        #expect(try folder.read(".out.part") == Self.bytes)
        #expect(try folder.list() == list)
    }

    @Test func `a foreign file with the record's name stays, and no partial file is kept`()
        throws
    {
        try folder.write("precious", to: ".out.part.record")
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        #expect(!part.isKept)
        part.didPublish()
        part.discard()
        #expect(try folder.text(".out.part.record") == "precious")
    }

    @Test func `a partial file that cannot get its name stays partial`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        part.file.setMode(exactly: 0o644)
        try folder.write("theirs", to: "out")
        #expect(throws: SystemError.self) { try part.file.publish(replacing: false) }
        #expect(try folder.mode(of: ".out.part") == 0o600)
        try change("rm out && mkdir out")
        #expect(throws: SystemError.self) { try part.file.publish(replacing: true) }
        #expect(try folder.mode(of: ".out.part") == 0o600)
        try change("rmdir out")
        try part.file.publish(replacing: true)
        #expect(try folder.mode(of: "out") == 0o644)
    }

    @Test func `a partial file in use keeps its name`() throws {
        let first = try part()
        first.keep(Self.traits("d"), bootIdentifier: "boot")
        let second = try part([1])
        second.keep(Self.traits("d"), bootIdentifier: "boot")
        #expect(first.isKept && !second.isKept)
        first.checkpoint(at: 100_000, .restart)
        #expect(try folder.read(".out.part") == Self.bytes)
    }

    @Test func `an abandoned partial file stays gone in spite of checkpoints`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        part.discard()
        part.checkpoint(at: 100_000, .powerLoss)
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        #expect(try folder.list() == [])
    }

    @Test func `a published partial file is the file, with the usual permissions`() throws {
        try folder.write("", to: "sample")
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        try part.file.publish(replacing: true)
        part.didPublish()
        #expect(try folder.list() == ["out", "sample"])
        #expect(try folder.read("out") == Self.bytes)
        #expect(try folder.mode(of: "out") & 0o600 == 0o600)
    }

    @Test func `another file under the part's name is never published`() throws {
        let part = try part()
        part.keep(Self.traits("d"), bootIdentifier: "boot")
        try folder.write("not the part", to: "other")
        #expect(
            try Command("mv", ["other", ".out.part"], workingFolder: folder.path).run().status
                == .exit(0)
        )
        #expect(throws: SystemError.self) { try part.file.publish(replacing: true) }
        #expect(!folder.contains("out"))
        part.discard()
        #expect(try folder.text(".out.part") == "not the part")
    }
}
