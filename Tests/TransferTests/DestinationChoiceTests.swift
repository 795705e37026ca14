import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Where an accepted body goes, without a server.
@Suite struct DestinationChoiceTests {
    private static let sum = String(repeating: "ab", count: 32)
    private let folder: TemporaryFolder
    private let url: HTTPURL

    init() throws {
        folder = try TemporaryFolder()
        url = try HTTPURL("http://a.test/name.txt")
    }

    private func choose(
        _ wanted: TaskSpec.Destination,
        list: String? = nil
    ) throws -> TaskSpec.Destination? {
        var request = AttemptRequest(
            key: 1,
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
            nil
        ) { _ in true }
    }

    private func destination(isListed: Bool = false) -> TaskSpec.Destination {
        TaskSpec.Destination(
            path: folder.path("out"),
            displayPath: "out",
            checksum: isListed ? .listed(SumsFile(url: url, algorithm: .sha256)) : nil
        )
    }

    @Test func `a file of the job keeps its name`() throws {
        #expect(try choose(destination())?.path == folder.path("out"))
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
