import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Where an accepted body goes, without a server.
@Suite struct DestinationChoiceTests {
    /// A record without files that runs a closure when it is asked for one.
    private struct Asked: WrittenFileRecord {
        let body: @Sendable () -> Void

        func has(_ path: String, _ file: InputFile.Identity, of task: Int) -> Bool {
            body()
            return false
        }

        func note(_ path: String, _ file: InputFile.Identity, of task: Int) {}

        func has(_ path: String, _ content: FolderContent, of task: Int) -> Bool { false }

        func note(_ path: String, _ content: FolderContent, of task: Int) {}
    }

    private static let sum = String(repeating: "ab", count: 32)
    private let folder: TemporaryFolder
    private let url: TransferURL

    init() throws {
        folder = try TemporaryFolder()
        url = try TransferURL("http://a.test/name.txt")
    }

    private func choose(
        _ wanted: TaskSpec.Destination,
        key: Int = 1,
        list: String? = nil,
        claims: DestinationClaims? = nil,
        written: (any WrittenFileRecord)? = nil
    ) throws -> TaskSpec.Destination? {
        var request = AttemptRequest(
            key: key,
            session: 0,
            number: 1,
            request: RequestSpec(method: "GET", url: url, headers: [])
        )
        request.checksums = list.map { ChecksumList(Array($0.utf8)) }
        return try DestinationChoice.file(
            wanted,
            for: ResponseHead(statusCode: 200),
            from: url,
            request,
            claims,
            written
        ) { _ in true }
    }

    private func destination(isListed: Bool = false) -> TaskSpec.Destination {
        TaskSpec.Destination(
            path: folder.path("out"),
            displayPath: "out",
            checksum: isListed ? .listed(SumsFile(url: url, algorithm: .sha256)) : nil
        )
    }

    /// A destination that a captured value names.
    private func named(replacesForeign: Bool) -> TaskSpec.Destination {
        TaskSpec.Destination(
            path: folder.path("out"),
            displayPath: "out",
            isNamedByPeer: true,
            replacesForeign: replacesForeign
        )
    }

    @Test func `a file of the job keeps its name`() throws {
        #expect(try choose(destination())?.path == folder.path("out"))
    }

    @Test func `a task that may replace a foreign file gets it while another one is refused`()
        throws
    {
        try folder.write("foreign", to: "out")
        let claims = DestinationClaims(folders: nil) { "\($0)" }
        let allowed = named(replacesForeign: true)
        let chosen = Lock(TaskSpec.Destination?.none)
        let written = Asked {
            let file = try? choose(allowed, key: 2, claims: claims)
            chosen.withLock { $0 = file }
        }
        let refusal = #expect(throws: TransferFailure.self) {
            try choose(named(replacesForeign: false), claims: claims, written: written)
        }
        #expect(refusal?.detail == "`out` belongs to the task 2")
        #expect(chosen.withLock { $0 } == allowed)
    }

    @Test func `a file that has become foreign is left to another task`() throws {
        let claims = DestinationClaims(folders: nil) { "\($0)" }
        let (own, allowed) = (named(replacesForeign: false), named(replacesForeign: true))
        #expect(try choose(own, claims: claims) == own)
        let taken = #expect(throws: TransferFailure.self) {
            try choose(allowed, key: 2, claims: claims)
        }
        #expect(taken?.detail == "`out` belongs to the task 1")
        try folder.write("foreign", to: "out")
        #expect(throws: TransferFailure.self) { try choose(own, claims: claims) }
        #expect(try choose(allowed, key: 2, claims: claims) == allowed)
    }

    @Test func `the entry of the list becomes the file's checksum`() throws {
        let wanted = destination(isListed: true)
        let file = try choose(wanted, list: "\(Self.sum)  name.txt")
        guard case .digest(let checksum)? = file?.checksum else {
            Issue.record("the file has no checksum")
            return
        }
        #expect(checksum.digest == [UInt8](repeating: 0xab, count: 32))
    }

    @Test(
        arguments: [
            ("\(sum)  other.txt", "has no SHA-256 of"), ("", "is not a list of checksums"),
        ]
    )
    func `a missing entry is a failure for good`(list: String, words: String) throws {
        let wanted = destination(isListed: true)
        let failure = #expect(throws: TransferFailure.self) { try choose(wanted, list: list) }
        #expect(failure?.kind == .integrity)
        #expect(failure?.isPermanent == true)
        #expect(failure?.detail.contains(words) == true)
    }
}
