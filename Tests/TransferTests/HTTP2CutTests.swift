import CurlKit
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Streams of HTTP/2 that a server cuts, with every libcurl that is supported.
@Suite struct HTTP2CutTests {
    private let certificates: TestCertificates
    private let isSafe: Bool
    private let folder: TemporaryFolder
    private static let whole = "hellohello"

    init() throws {
        certificates = try TestCertificates.shared()
        isSafe = try CurlLibrary.load().isHTTP2Safe
        folder = try TemporaryFolder()
    }

    /// How the transfers of one cut ended.
    private struct Ends: CustomStringConvertible {
        /// The file has the whole body.
        var whole = 0
        /// The transfer failed.
        var failed = 0
        /// libcurl reported the cut body as complete; only the job's checksum disagreed.
        var taken = 0

        var description: String { "\(whole) whole, \(failed) failed, \(taken) taken" }
    }

    private static let stages: [(Int, HTTP2Server.Cut.Stage)] = [
        (1, .nothing), (1, .part), (1, .head), (1, .body), (1, .all), (2, .nothing), (2, .head),
        (2, .body), (4, .nothing), (4, .head), (4, .body),
    ]

    /// All cuts after a stage; DATA before a head is no cut but breaks the protocol.
    private func cuts(_ stage: HTTP2Server.Cut.Stage, count: Int) -> [HTTP2Server.Cut] {
        HTTP2Server.Cut.End.allCases.filter { $0 != .flag || stage != .nothing }.flatMap { end in
            [true, false].map { .init(stage, hasLength: $0, end, count: count) }
        }
    }

    private func results(
        _ server: HTTP2Server,
        _ cut: HTTP2Server.Cut,
        checksum: TaskSpec.ExpectedChecksum? = nil
    ) throws -> [AttemptResult] {
        let authority = certificates.authorityFile
        // One engine thread, so that all streams share a connection.
        let harness = try EngineHarness(
            {
                $0.tls.caFile = authority
                $0.httpVersion = .http2
            },
            maximumConcurrentAttempts: cut.count
        )
        return try harness.run(
            (0..<cut.count).map {
                try .download(
                    server.url(of: cut),
                    to: folder.path("\($0)"),
                    key: $0,
                    checksum: checksum
                )
            }
        )
    }

    /// How libcurl reports a cut: the job's checksum shows which bodies it took for complete.
    private func ends(_ server: HTTP2Server, _ cut: HTTP2Server.Cut) throws -> Ends {
        let digest = try #require(MessageDigest(.sha256))
        digest.update(Self.whole.utf8.span)
        let checksum = TaskSpec.ExpectedChecksum.digest(Checksum(.sha256, digest: digest.finish()))
        var ends = Ends()
        for result in try results(server, cut, checksum: checksum) {
            if let failure = result.failure {
                if failure.kind == .integrity { ends.taken += 1 } else { ends.failed += 1 }
            } else {
                ends.whole += 1
            }
        }
        return ends
    }

    /// How many transfers of a cut libcurl reports as complete.
    ///
    /// No client can tell a stream that ends early by its flag from a complete one, and no libcurl
    /// tells RST_STREAM with NO_ERROR from that flag if it reads the frame apart from the others.
    /// libcurl 7.88 also takes a stream that GOAWAY leaves out for complete if another stream's
    /// transfer reads that frame: the reason for `StreamTrust`. Both are chance, which no test can
    /// expect; the test below shows that no such body becomes a file.
    private func taken(of cut: HTTP2Server.Cut) -> ClosedRange<Int> {
        guard !cut.hasLength, [.head, .body].contains(cut.stage) else { return 0...0 }
        let cutCount = (cut.count + 1) / 2
        switch cut.end {
        case .flag: return cutCount...cutCount
        case .resetNoError: return 0...cutCount
        case .goAwayBelow, .goAwayBelowWithError:
            return isSafe || cut.count == 1 ? 0...0 : 0...cutCount
        default: return 0...0
        }
    }

    @Test func `libcurl reports only these cut streams as complete`() throws {
        let server = try HTTP2Server(.cut, certificate: certificates.server)
        for (count, stage) in Self.stages {
            for cut in cuts(stage, count: count) {
                let ends = try ends(server, cut)
                #expect(taken(of: cut).contains(ends.taken), "\(cut): \(ends)")
                if stage != .all { #expect(ends.taken + ends.failed >= (count + 1) / 2, "\(cut)") }
            }
        }
    }

    /// With libcurl 8 and without a length, the two ends that no libcurl tells apart have no
    /// voucher.
    @Test func `no cut stream becomes a file without a failure or a missing voucher`() throws {
        let server = try HTTP2Server(.cut, certificate: certificates.server)
        for cut in Self.stages.flatMap({ cuts($1, count: $0) }) {
            // Another frame within a head breaks the protocol.
            let kinds: [TransferFailure.Kind] =
                [.truncated, .reset] + (cut.stage == .part ? [.protocolViolation] : [])
            for result in try results(server, cut) {
                if let failure = result.failure {
                    #expect(kinds.contains(failure.kind), "\(cut): \(failure)")
                    #expect(!failure.isPermanent, "\(cut): \(failure)")
                    continue
                }
                let text = try folder.text("\(result.key)")
                if result.voucher == BodyVoucher.none {
                    #expect(isSafe && !cut.hasLength, "\(cut)")
                    let isWhole = ![.flag, .resetNoError].contains(cut.end)
                    #expect(!isWhole || text == Self.whole, "\(cut)")
                } else {
                    #expect(text == Self.whole, "\(cut)")
                }
            }
        }
    }

    @Test(arguments: HTTP2Server.Cut.End.allCases)
    func `libcurl 7 gets a body without a length again over HTTP/1.1`(
        end: HTTP2Server.Cut.End
    ) throws {
        guard !isSafe else { return }
        let server = try HTTP2Server(.cut, certificate: certificates.server)
        let cut = HTTP2Server.Cut(.body, hasLength: false, end, count: 1)
        // A cut that arrives with the head ends the attempt as any other does.
        let result = try #require(try results(server, cut).first)
        if let failure = result.failure {
            #expect([.truncated, .reset].contains(failure.kind))
            return
        }
        #expect(try folder.text("0") == Self.whole)
        #expect(result.voucher == .length)
        let exchanges = result.transactions
        #expect(exchanges.map(\.networkProtocolName) == ["h2", "http/1.1"])
        #expect(exchanges.map(\.reason) == [.initial, .unvouchedBody])
        #expect(exchanges.map(\.response?.statusCode) == [200, 200])
        #expect(exchanges.map { $0.responseEndDate == nil } == [true, false])
        #expect(exchanges.map(\.countOfResponseBodyBytesAfterDecoding) == [0, 10])
        #expect(result.countOfBytesReceived == 10)
        #expect(result.checks.filter { $0.check == .statusCode }.count == 1)
    }
}
