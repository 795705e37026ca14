import Testing
import TransferModel

@testable import Transfer

/// The next leg after each response, from the first request to the last part.
@Suite struct UploadMachineTests: UploadMachineSuite {
    let urls: UploadMachineURLs

    init() throws { urls = try UploadMachineURLs() }

    // MARK: The first request

    @Test(
        arguments: [
            (["Upload-Draft-Interop-Version: 6", "Location: /u/1"], "http://a.test/u/1"),
            (
                ["Upload-Draft-Interop-Version: 6", "Location: http://a.test/x?y"],
                "http://a.test/x?y"
            ),
            (["Upload-Draft-Interop-Version: 6", "Location: u"], "http://a.test/u"),
            (["Upload-Draft-Interop-Version: 5", "Location: /u/1"], nil),
            (["Location: /u/1"], nil), (["Upload-Draft-Interop-Version: 6"], nil),
            (["Upload-Draft-Interop-Version: 6", "Location: http://b.test/u"], nil),
            (["Upload-Draft-Interop-Version: 6", "Location: https://a.test/u"], nil),
            (["Upload-Draft-Interop-Version: 6", "Location: http://me@a.test/u"], nil),
            (["Upload-Draft-Interop-Version: 6", "Location: /1", "Location: /2"], nil),
            (["Upload-Draft-Interop-Version: 6", "Location: ftp://a.test/u"], nil),
        ] as [([String], String?)]
    )
    func `a 104 names the upload's URL only in the requested version and origin`(
        lines: [String],
        url: String?
    ) {
        let machine = machine()
        #expect(machine.inform(lines) == (url != nil))
        #expect(machine.url?.text == url)
    }

    @Test func `the first URL stays, and offsets of a 104 are noted`() {
        let machine = begun()
        let lines = ["Upload-Draft-Interop-Version: 6", "Location: /u/2", "Upload-Offset: 300000"]
        #expect(!machine.inform(lines))
        #expect(machine.url == own)
        #expect(machine.confirmed == 300000)
        #expect(!machine.inform(["Upload-Offset: 2000000"]))
        #expect(!machine.inform(["Upload-Offset: 200000"]))
        #expect(machine.confirmed == 300000)
    }

    @Test func `a server that ignores resumption is judged as usual`() {
        for status in [200, 201, 204, 302, 400, 404, 413, 500, 503] {
            let machine = machine()
            #expect(machine.answer(status) == .judge)
        }
    }

    @Test(
        arguments: [
            (["5"], [5]), (["3"], [3]), (["9"], [nil]), (["8"], [8]), (["5", "3"], [5, nil]),
            (["x"], [nil]),
        ] as [([String], [Int?])]
    )
    func `a 400 with another version is retried once in it, then plainly`(
        named: [String],
        next: [Int?]
    ) {
        let machine = machine()
        for (named, next) in zip(named, next) {
            #expect(machine.answer(400, "Upload-Draft-Interop-Version: \(named)") == .proceed)
            #expect(machine.leg == (next == nil ? .over : .creation))
            #expect(next == nil ? machine.fields.isEmpty : machine.version.rawValue == next)
        }
    }

    @Test func `a 400 in the requested version is final`() {
        let machine = machine()
        #expect(machine.answer(400, "Upload-Draft-Interop-Version: 6") == .judge)
    }

    @Test func `a success with an incomplete upload is continued`() {
        let machine = begun()
        #expect(machine.answer(201, "Upload-Complete: ?0") == .proceed)
        #expect(machine.leg == .offset)
        let other = self.machine()
        let step = other.answer(
            201,
            "Upload-Incomplete: ?1",
            "Upload-Draft-Interop-Version: 6",
            "Location: /u/1"
        )
        #expect(step == .proceed)
        #expect(other.url == own)
        let third = self.machine()
        #expect(third.answer(201, "Upload-Complete: ?0") == .fail(.noURL))
    }

    @Test func `after a 413 the upload continues in parts`() {
        let machine = begun(limit: 300_000)
        #expect(machine.answer(413) == .proceed)
        #expect(machine.answer(204, "Upload-Offset: 0", "Upload-Complete: ?0") == .proceed)
        #expect(machine.leg == .append(from: 0, to: 300000))
        #expect(!machine.bringsEnd)
        let short = begun()
        #expect(short.answer(413) == .proceed)
        #expect(short.longestPart == 500_000)
    }

    @Test(arguments: [(404, false), (409, false), (501, false), (503, true), (429, true)])
    func `a final response ends the upload, a temporary one does not`(status: Int, stays: Bool) {
        let machine = begun()
        #expect(machine.answer(status) == .judge)
        #expect((machine.url != nil) == stays)
        #expect(machine.lateStatus == (stays ? status : nil))
        // The application has had it all and refused it.
        let complete = begun()
        #expect(complete.answer(status, "Upload-Complete: ?1") == .judge)
        #expect(complete.url == nil)
    }

    // MARK: Asking

    @Test func `the bytes that the server lacks are sent`() {
        let machine = asking()
        #expect(machine.fields.map(\.name) == ["Upload-Draft-Interop-Version"])
        #expect(machine.answer(204, "Upload-Offset: 400000", "Upload-Complete: ?0") == .proceed)
        #expect(machine.leg == .append(from: 400000, to: 1000000))
        #expect(machine.bringsEnd)
        #expect(machine.confirmed == 400000)
    }

    @Test func `an incomplete upload with all bytes gets its end`() {
        let machine = asking()
        #expect(machine.answer(204, "Upload-Offset: 1000000") == .proceed)
        #expect(machine.leg == .append(from: 1000000, to: 1000000))
        #expect(machine.bringsEnd)
    }

    @Test(arguments: [
        ["Upload-Offset: 1000000", "Upload-Complete: ?1"], ["Upload-Incomplete: ?0"],
    ])
    func `a complete upload has lost its response`(lines: [String]) {
        let machine = asking()
        #expect(machine.answer(200, lines) == .answerLost)
    }

    @Test(
        arguments: [
            (["Upload-Offset: 299999"], .wrongOffset(299999)),
            (["Upload-Offset: 1000001"], .wrongOffset(1000001)),
            (["Upload-Offset: 999999", "Upload-Complete: ?1"], .wrongOffset(999999)),
            ([], .noOffset), (["Upload-Offset: many"], .noOffset),
        ] as [([String], UploadFault)]
    )
    func `an upload with an impossible offset is given up`(
        lines: [String],
        fault: UploadFault
    ) {
        let machine = asking(confirmed: 300_000)
        #expect(machine.answer(204, lines) == .proceed)
        #expect(machine.leg == .cancellation(fault))
        #expect(machine.didCancel() == .fail(fault))
        #expect(machine.url == nil)
    }

    @Test(arguments: [404, 410, 400, 405])
    func `a forgotten upload begins anew if it is repeatable`(status: Int) {
        let machine = asking(isRepeatable: true)
        #expect(machine.answer(status) == .proceed)
        #expect(machine.leg == .creation)
        #expect(machine.confirmed == 0)
        #expect(machine.url == nil)

        let order = asking()
        #expect(order.answer(status) == .fail(.forgotten(status: status)))

        // Without the last byte the server cannot have acted on the upload.
        let unfinished = begun()
        #expect(unfinished.answer(201, "Upload-Complete: ?0", isSent: false) == .proceed)
        #expect(unfinished.answer(status) == .proceed)
        #expect(unfinished.leg == .creation)
        unfinished.didSendAll()
        #expect(unfinished.mayBeComplete)
    }

    @Test func `an upload begins anew once for an attempt`() {
        let machine = asking(isRepeatable: true)
        #expect(machine.answer(404) == .proceed)
        let lines = ["Upload-Draft-Interop-Version: 6", "Location: /u/2"]
        #expect(machine.inform(lines))
        #expect(machine.answer(201, "Upload-Complete: ?0") == .proceed)
        #expect(machine.answer(404) == .fail(.forgotten(status: 404)))
    }

    @Test(arguments: [401, 403, 408, 425, 429, 500, 503])
    func `a response without upload fields leaves the upload unchanged`(status: Int) {
        let machine = asking()
        #expect(machine.answer(status) == .fail(.refused(status: status)))
        #expect(machine.url == own)
    }

    @Test func `a 403 counts as a forgotten upload if the body may be sent anew`() {
        let machine = asking(isRepeatable: true)
        #expect(machine.answer(403) == .proceed)
        #expect(machine.leg == .creation)
        #expect(machine.answer(201, "Upload-Complete: ?0") == .fail(.noURL))
    }

    @Test func `a redirect of the offset request is followed`() {
        for status in [307, 308] {
            let machine = asking()
            #expect(machine.answer(status) == .judge)
            #expect(machine.leg == .offset)
        }
        for status in [301, 302, 303] {
            let machine = asking()
            #expect(machine.answer(status) == .fail(.refused(status: status)))
        }
    }

    @Test func `the response to a part is not the response to the upload`() {
        let machine = Driver(
            UploadMachine(
                resuming: partial(lateStatus: 503),
                of: 1_000_000,
                match: .upload,
                isRepeatable: false
            ),
            task
        )
        #expect(machine.lateStatus == 503)
        #expect(machine.answer(204, "Upload-Offset: 400000") == .proceed)
        #expect(machine.lateStatus == nil)
        #expect(!machine.mayBeComplete)
    }

    // MARK: Sending the rest

    /// A machine that sends from 400 on.
    private func sending(isLast: Bool = true) -> Driver {
        let machine = asking()
        let limit = isLast ? "X: 1" : "Upload-Limit: max-append-size=500000"
        #expect(machine.answer(204, "Upload-Offset: 400000", limit) == .proceed)
        #expect(machine.leg == .append(from: 400_000, to: isLast ? 1_000_000 : 900_000))
        return machine
    }

    @Test(arguments: ["Upload-Complete: ?1", "Upload-Incomplete: ?0", "X: 1"])
    func `the response to the last part is judged`(line: String) {
        let machine = sending()
        #expect(machine.answer(200, line) == .judge)
        // The response may be lost until its body has arrived.
        #expect(machine.url == own)
    }

    @Test(arguments: ["Upload-Complete: ?0", "Upload-Incomplete: ?1", "X: 1"])
    func `after every other part the offset is requested`(line: String) {
        let machine = sending(isLast: false)
        #expect(machine.answer(201, line) == .proceed)
        #expect(machine.leg == .offset)
        #expect(machine.answer(204, "Upload-Offset: 900000") == .proceed)
        #expect(machine.leg == .append(from: 900000, to: 1000000))
    }

    @Test func `a part that completes the upload before its end cancels it`() {
        let machine = sending(isLast: false)
        #expect(machine.answer(200, "Upload-Complete: ?1") == .proceed)
        #expect(machine.leg == .cancellation(.wrongOffset(1000000)))
    }

    @Test func `the third version's answer says where the end is`() {
        let machine = machine(total: 1_000_000, version: .v3)
        let lines = ["Upload-Draft-Interop-Version: 3", "Location: /u/1"]
        #expect(machine.inform(lines))
        #expect(machine.answer(201, "Upload-Incomplete: ?1") == .proceed)
        #expect(machine.answer(204, "Upload-Offset: 10000", "Upload-Incomplete: ?1") == .proceed)
        let other = machine.copy
        #expect(machine.answer(200, "Upload-Offset: 1000000") == .judge)
        #expect(other.answer(200, "Upload-Offset: 999999") == .proceed)
        #expect(other.leg == .cancellation(.wrongOffset(999999)))
    }

    @Test func `after a conflict the offset is requested, and no progress ends the upload`() {
        let machine = sending()
        #expect(machine.answer(409, "Upload-Offset: 500000") == .proceed)
        #expect(machine.leg == .offset)
        #expect(machine.answer(204, "Upload-Offset: 400000") == .proceed)
        #expect(machine.leg == .append(from: 400000, to: 1000000))
        #expect(machine.answer(409) == .proceed)
        #expect(machine.answer(204, "Upload-Offset: 400000") == .proceed)
        #expect(machine.leg == .cancellation(.noProgress))
    }

    @Test func `parts that are too long are halved down to a shortest one`() {
        let machine = machine(total: 1 << 20, version: .v6)
        let lines = ["Upload-Draft-Interop-Version: 6", "Location: /u/1"]
        #expect(machine.inform(lines))
        #expect(machine.answer(201, "Upload-Complete: ?0") == .proceed)
        var lengths: [Int64] = []
        for _ in 0..<10 {
            #expect(machine.answer(204, "Upload-Offset: 0") == .proceed)
            guard case .append(let start, let end) = machine.leg else { break }
            lengths.append(end - start)
            if machine.answer(413) == .judge { break }
        }
        #expect(lengths == [1_048_576, 524_288, 262_144, 131_072, 65_536])
        #expect(machine.url == nil)
    }
}
