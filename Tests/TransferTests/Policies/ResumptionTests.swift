import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// When an attempt resumes a part, and when it keeps one, at times of its own.
@Suite struct ResumptionTests {
    private static let offer = ResumeOffer(offset: 4, total: 9, validator: nil)
    private let folder: TemporaryFolder
    private let url: TransferURL

    init() throws {
        folder = try TemporaryFolder()
        url = try TransferURL("http://a.test/file")
    }

    private func part(_ count: Int) throws -> PartialDownload {
        let folder = try Folder(path: folder.path, create: false)
        let file = try OutputFile(in: folder, name: "out")
        try file.write([UInt8](repeating: 7, count: count).span)
        return PartialDownload(
            file: file,
            folder: folder,
            path: self.folder.path("out"),
            url: url.text,
            source: .url(url.withoutSignature),
            validator: .entityTag("\"one\""),
            total: 1 << 20,
            names: nil
        )
    }

    private func head(_ status: Int, _ range: String? = nil, _ type: String? = nil) -> ResponseHead
    {
        let fields = [("Content-Range", range), ("Content-Type", type)].compactMap { name, value in
            value.map { HeaderField(name: name, value: $0) }
        }
        return ResponseHead(statusCode: status, fields: HeaderFields(fields))
    }

    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func judge(
        _ resumption: Resumption,
        _ head: ResponseHead,
        needsMIMEType: Bool = false
    ) -> Bool {
        resumption.judge(head, contentLength: nil, from: url, needsMIMEType: needsMIMEType)
    }

    @Test func `the rest begins where the part ends, and more than the range is a failure`() {
        let resumption = Resumption(nil, Self.offer, hasChecksum: true, keepTime: nil)
        #expect(judge(resumption, head(206, "bytes 4-8/9")))
        #expect(resumption.resumedFrom == 4)
        #expect(resumption.excess(5) == nil)
        #expect(resumption.excess(6)?.kind == .protocolViolation)
        #expect(!resumption.isRest)
    }

    @Test(arguments: [nil, "bytes 5-8/9", "bytes 4-8/10"])
    func `a useless part makes the attempt request the whole file`(range: String?) {
        let resumption = Resumption(nil, Self.offer, hasChecksum: true, keepTime: nil)
        #expect(!judge(resumption, head(206, range)))
        #expect(resumption.repetition == .wholeFile)
        resumption.startOver()
        #expect(resumption.offer == nil)
        #expect(resumption.repetition == nil)
    }

    @Test func `a part without a media type is of no use to a task that expects one`() {
        let resumption = Resumption(nil, Self.offer, hasChecksum: true, keepTime: nil)
        #expect(!judge(resumption, head(206, "bytes 4-8/9"), needsMIMEType: true))
        let typed = Resumption(nil, Self.offer, hasChecksum: true, keepTime: nil)
        #expect(judge(typed, head(206, "bytes 4-8/9", "text/plain"), needsMIMEType: true))
    }

    @Test func `without a checksum the rest must come from the part's own URL`() throws {
        let own = Resumption(try part(4), Self.offer, hasChecksum: false, keepTime: nil)
        #expect(judge(own, head(206, "bytes 4-8/9")))
        let other = Resumption(try part(4), Self.offer, hasChecksum: false, keepTime: nil)
        let moved = try TransferURL("http://b.test/file")
        let mayResume = other.judge(
            head(206, "bytes 4-8/9"),
            contentLength: nil,
            from: moved,
            needsMIMEType: false
        )
        #expect(!mayResume)
    }

    @Test func `a part gets its name when its time has come and it has bytes`() throws {
        let empty = Resumption(try part(0), hasChecksum: false, keepTime: time(10))
        #expect(empty.step(at: time(20), age: .zero).isNil)
        #expect(empty.nextTime == nil)
        let resumption = Resumption(try part(9), hasChecksum: false, keepTime: time(10))
        #expect(resumption.step(at: time(9), age: .zero).isNil)
        #expect(resumption.nextTime == time(10))
        guard case .keep? = resumption.step(at: time(10), age: .zero) else {
            Issue.record("the part gets no name")
            return
        }
        guard case .note(_, let isSettled)? = resumption.step(at: time(2000), age: .zero) else {
            Issue.record("the part is not noted")
            return
        }
        #expect(isSettled)
        #expect(resumption.step(at: time(9000), age: .zero).isNil)
    }

    @Test func `a failed attempt drops a part only where it is of no use any more`() throws {
        var gone = TransferFailure(kind: .httpStatus, phase: .receive, detail: "gone")
        gone.httpStatus = 404
        let cases: [(failure: TransferFailure, url: String, hasMirror: Bool, stays: Bool)] = [
            (ExchangeStage.truncated("cut"), url.text, false, true),
            (gone, url.text, false, false),
            (gone, "http://mirror.test/", false, true),
            (gone, url.text, true, true),
        ]
        for (failure, url, hasMirror, stays) in cases {
            let resumption = Resumption(try part(9), hasChecksum: true, keepTime: nil)
            resumption.end(after: failure, at: url, hasMirror: hasMirror)
            #expect((resumption.outcome?.partial != nil) == stays)
        }
    }

    @Test func `a complete response that leaves the file incomplete is cut`() throws {
        let resumption = Resumption(try part(4), Self.offer, hasChecksum: true, keepTime: nil)
        #expect(resumption.shortage == nil)
        #expect(judge(resumption, head(206, "bytes 4-8/9")))
        #expect(resumption.shortage?.kind == .truncated)
    }
}

extension Resumption.Step? {
    fileprivate var isNil: Bool { if case .none = self { true } else { false } }
}
