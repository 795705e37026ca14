import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct UploadMachineTests {
    private let task: HTTPURL
    private let own: HTTPURL

    init() throws {
        task = try HTTPURL("http://a.test/files")
        own = try HTTPURL("http://a.test/u/1")
    }

    /// A machine, and the URL that answers it.
    @dynamicMemberLookup
    private final class Driver {
        private var machine: UploadMachine
        private let task: HTTPURL

        init(_ machine: UploadMachine, _ task: HTTPURL) {
            self.machine = machine
            self.task = task
        }

        subscript<Value>(dynamicMember path: KeyPath<UploadMachine, Value>) -> Value {
            machine[keyPath: path]
        }

        var copy: Driver { Driver(machine, task) }

        func inform(_ lines: [String]) -> Bool {
            machine.didInform(Self.fields(lines), from: task)
        }

        func answer(
            _ status: Int,
            _ lines: String...,
            isSent: Bool = true
        ) -> UploadMachine.Step {
            answer(status, lines, isSent: isSent)
        }

        func answer(_ status: Int, _ lines: [String], isSent: Bool = true) -> UploadMachine.Step {
            let head = ResponseHead(statusCode: status, fields: Self.fields(lines))
            if isSent { didSendAll() }
            return machine.didAnswer(head, from: task, isSent: isSent)
        }

        func didCancel() -> UploadMachine.Step { machine.didCancel() }
        func didSend(upTo position: Int64) { machine.didSend(upTo: position) }

        func didSendAll() {
            switch machine.leg {
            case .creation: machine.didSend(upTo: machine.total)
            case .append(_, let end): machine.didSend(upTo: end)
            case .offset, .cancellation, .over: break
            }
        }

        private static func fields(_ lines: [String]) -> HeaderFields {
            var fields = HeaderFields()
            for line in lines { fields.append(line: Array(line.utf8).span) }
            return fields
        }
    }

    private func machine(
        total: Int64 = 1_000_000,
        version: UploadVersion = .v6,
        isRepeatable: Bool = false
    ) -> Driver {
        Driver(UploadMachine(total: total, version: version, isRepeatable: isRepeatable), task)
    }

    /// One that has its URL.
    private func begun(isRepeatable: Bool = false, limit: Int? = nil) -> Driver {
        let machine = machine(isRepeatable: isRepeatable)
        let limits = limit.map { ["Upload-Limit: max-append-size=\($0)"] } ?? []
        #expect(machine.inform(["Upload-Draft-Interop-Version: 6", "Location: /u/1"] + limits))
        return machine
    }

    /// What another attempt has left.
    private func partial(
        version: UploadVersion = .v6,
        confirmed: Int64 = 0,
        lateStatus: Int? = nil
    ) -> PartialUpload {
        PartialUpload(
            url: own,
            version: version,
            digest: "d",
            salt: "s",
            total: 1_000_000,
            confirmed: confirmed,
            mayBeComplete: true,
            lateStatus: lateStatus,
            creationDate: Timestamp(microseconds: 0)
        )
    }

    /// One that asks how much there is.
    private func asking(isRepeatable: Bool = false, confirmed: Int64 = 0) -> Driver {
        Driver(
            UploadMachine(
                resuming: partial(confirmed: confirmed),
                of: 1_000_000,
                match: .upload,
                isRepeatable: isRepeatable
            ),
            task
        )
    }

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
    func `a 104 says where the upload is, in the version that was asked and at the same origin`(
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

    @Test func `a server that ignores it all is judged as ever`() {
        for status in [200, 201, 204, 302, 400, 404, 413, 500, 503] {
            let machine = machine()
            #expect(machine.answer(status) == .judge)
        }
    }

    @Test(
        arguments: [
            (["5"], [5]), (["3"], [3]), (["7"], [nil]), (["5", "3"], [5, nil]), (["x"], [nil]),
        ] as [([String], [Int?])]
    )
    func `a 400 with another version is asked once in that one, then plainly`(
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

    @Test func `a 400 in our version is the answer`() {
        let machine = machine()
        #expect(machine.answer(400, "Upload-Draft-Interop-Version: 6") == .judge)
    }

    @Test func `a success that is none yet is gone on with`() {
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

    @Test func `a 413 has it go on in parts`() {
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
    func `a final answer ends the upload, one that may pass does not`(status: Int, stays: Bool) {
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

    @Test func `what the server has not got is sent`() {
        let machine = asking()
        #expect(machine.fields.map(\.name) == ["Upload-Draft-Interop-Version"])
        #expect(machine.answer(204, "Upload-Offset: 400000", "Upload-Complete: ?0") == .proceed)
        #expect(machine.leg == .append(from: 400000, to: 1000000))
        #expect(machine.bringsEnd)
        #expect(machine.confirmed == 400000)
    }

    @Test func `a body that has all arrived and is not complete gets its end`() {
        let machine = asking()
        #expect(machine.answer(204, "Upload-Offset: 1000000") == .proceed)
        #expect(machine.leg == .append(from: 1000000, to: 1000000))
        #expect(machine.bringsEnd)
    }

    @Test(arguments: [
        ["Upload-Offset: 1000000", "Upload-Complete: ?1"], ["Upload-Incomplete: ?0"],
    ])
    func `a complete one has lost its answer`(lines: [String]) {
        let machine = asking()
        #expect(machine.answer(200, lines) == .answerLost)
    }

    @Test(
        arguments: [
            (["Upload-Offset: 299999"], .wrongOffset(299999)),
            (["Upload-Offset: 1000001"], .wrongOffset(1000001)),
            (["Upload-Offset: 999999", "Upload-Complete: ?1"], .wrongOffset(999999)),
            ([], .noOffset), (["Upload-Offset: many"], .noOffset),
        ] as [([String], UploadMachine.Fault)]
    )
    func `what cannot be is given up`(lines: [String], fault: UploadMachine.Fault) {
        let machine = asking(confirmed: 300_000)
        #expect(machine.answer(204, lines) == .proceed)
        #expect(machine.leg == .cancellation(fault))
        #expect(machine.didCancel() == .fail(fault))
        #expect(machine.url == nil)
    }

    @Test(arguments: [404, 410, 400, 405])
    func `an upload that is gone begins anew where that may be`(status: Int) {
        let machine = asking(isRepeatable: true)
        #expect(machine.answer(status) == .proceed)
        #expect(machine.leg == .creation)
        #expect(machine.confirmed == 0)
        #expect(machine.url == nil)

        let order = asking()
        #expect(order.answer(status) == .fail(.forgotten(status: status)))

        // Without its last byte nobody can have acted on it.
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
    func `an answer that says nothing of the upload leaves it as it is`(status: Int) {
        let machine = asking()
        #expect(machine.answer(status) == .fail(.refused(status: status)))
        #expect(machine.url == own)
    }

    @Test func `a 403 may mean that it is not known any more, if the body may be sent anew`() {
        let machine = asking(isRepeatable: true)
        #expect(machine.answer(403) == .proceed)
        #expect(machine.leg == .creation)
        #expect(machine.answer(201, "Upload-Complete: ?0") == .fail(.noURL))
    }

    @Test func `where a redirect of that leads is asked`() {
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

    // MARK: Sending the rest

    /// One that sends from 400 on.
    private func sending(isLast: Bool = true) -> Driver {
        let machine = asking()
        let limit = isLast ? "X: 1" : "Upload-Limit: max-append-size=500000"
        #expect(machine.answer(204, "Upload-Offset: 400000", limit) == .proceed)
        #expect(machine.leg == .append(from: 400_000, to: isLast ? 1_000_000 : 900_000))
        return machine
    }

    @Test(arguments: ["Upload-Complete: ?1", "Upload-Incomplete: ?0", "X: 1"])
    func `the answer to the last part is that to the task`(line: String) {
        let machine = sending()
        #expect(machine.answer(200, line) == .judge)
        // Until its body is there it may be lost.
        #expect(machine.url == own)
    }

    @Test(arguments: ["Upload-Complete: ?0", "Upload-Incomplete: ?1", "X: 1"])
    func `behind every other part is asked how much there is`(line: String) {
        let machine = sending(isLast: false)
        #expect(machine.answer(201, line) == .proceed)
        #expect(machine.leg == .offset)
        #expect(machine.answer(204, "Upload-Offset: 900000") == .proceed)
        #expect(machine.leg == .append(from: 900000, to: 1000000))
    }

    @Test func `a part that completes what it does not end is none`() {
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

    @Test func `a conflict is asked about, and one without any progress ends it`() {
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

    // MARK: Servers that are wrong

    @Test(arguments: [
        "Upload-Limit: max-append-size=100000000", "Upload-Limit: max-append-size=300000",
    ])
    func `a part that was too long stays so, whatever the server says of its limit`(limit: String) {
        let machine = begun()
        #expect(machine.answer(413) == .proceed)
        var lengths: [Int64] = []
        while lengths.count < 20 {
            // HEAD says something else than the 413.
            #expect(
                machine.answer(204, "Upload-Offset: 0", "Upload-Limit: max-append-size=900000")
                    == .proceed
            )
            guard case .append(let start, let end) = machine.leg else { break }
            lengths.append(end - start)
            if machine.answer(413, limit) == .judge { break }
        }
        #expect(lengths.count < 6)
        #expect(zip(lengths, lengths.dropFirst()).allSatisfy(>), "\(lengths)")
        #expect(lengths.last == 65_536)
    }

    @Test func `a limit that falls by a byte each time is none that parts come below`() {
        let machine = begun()
        #expect(machine.answer(413, "Upload-Limit: max-append-size=999999") == .proceed)
        var count: Int64 = 0
        while count < 20, machine.answer(204, "Upload-Offset: 0") == .proceed,
            case .append(_, let end) = machine.leg
        {
            count += 1
            #expect(machine.answer(413, "Upload-Limit: max-append-size=\(end - 1)") == .proceed)
        }
        #expect(machine.leg == .cancellation(.noProgress))
        #expect(count < 5)
    }

    @Test func `a byte at a time is no progress`() {
        let machine = asking()
        var offset = 0
        while offset < 100, machine.answer(204, "Upload-Offset: \(offset)") == .proceed,
            case .append = machine.leg
        {
            #expect(machine.answer(409) == .proceed)
            offset += 1
        }
        #expect(machine.leg == .cancellation(.noProgress))
        #expect(offset == 9)
    }

    @Test func `a hundredth at a time is progress`() {
        let machine = asking()
        for offset in stride(from: 0, through: 990_000, by: 10_000) {
            #expect(machine.answer(204, "Upload-Offset: \(offset)") == .proceed)
            #expect(machine.leg == .append(from: Int64(offset), to: 1_000_000))
            #expect(machine.answer(409) == .proceed)
        }
    }

    @Test(arguments: [["Upload-Offset: 2001"], ["Upload-Offset: 1000000", "Upload-Complete: ?1"]])
    func `a server cannot have what has not left`(lines: [String]) {
        let machine = begun()
        machine.didSend(upTo: 2000)
        #expect(machine.answer(201, ["Upload-Complete: ?0"], isSent: false) == .proceed)
        let other = machine.copy
        #expect(other.answer(204, "Upload-Offset: 2000") == .proceed)
        #expect(other.leg == .append(from: 2000, to: 1_000_000))
        #expect(machine.answer(204, lines) == .proceed)
        guard case .cancellation(.wrongOffset) = machine.leg else {
            Issue.record("\(machine.leg)")
            return
        }
    }

    @Test func `what was answered to a part is not the answer to all`() {
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

    // MARK: Another upload

    /// One whose record is of something else.
    private func other(_ match: UploadMachine.Match, isRepeatable: Bool = false) -> Driver {
        Driver(
            UploadMachine(
                resuming: partial(version: .v5, confirmed: 10),
                of: 2_000_000,
                match: match,
                isRepeatable: isRepeatable
            ),
            task
        )
    }

    private func expectBeginning(
        _ machine: Driver,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        #expect(machine.leg == .cancellation(nil), sourceLocation: sourceLocation)
        #expect(machine.didCancel() == .proceed, sourceLocation: sourceLocation)
        #expect(machine.leg == .creation, sourceLocation: sourceLocation)
        #expect(machine.total == 2_000_000, sourceLocation: sourceLocation)
        #expect(machine.version == .v5, sourceLocation: sourceLocation)
        #expect(!machine.mayBeComplete, sourceLocation: sourceLocation)
    }

    @Test(arguments: [UploadMachine.Match.order, .nothing])
    func `what was begun as another one is given up, and the upload begins`(
        match: UploadMachine.Match
    ) {
        expectBeginning(other(match, isRepeatable: true))
        // Of an order that may not arrive twice it is asked first.
        let machine = other(match)
        #expect(machine.leg == .offset)
        #expect(machine.answer(204, "Upload-Offset: 999999", "Upload-Complete: ?0") == .proceed)
        expectBeginning(machine)
    }

    @Test(
        arguments: [
            (204, ["Upload-Offset: 1000000", "Upload-Complete: ?1"], .hasOther),
            (204, ["Upload-Offset: 1000000"], .hasOther), (204, [], .hasOther),
            (404, [], .forgotten(status: 404)), (403, [], .refused(status: 403)),
            (503, [], .refused(status: 503)),
        ] as [(Int, [String], UploadMachine.Fault)]
    )
    func `an order that may have come to its end is not begun anew under other fields`(
        status: Int,
        lines: [String],
        fault: UploadMachine.Fault
    ) {
        let machine = other(.order)
        #expect(machine.answer(status, lines) == .fail(fault))
        #expect((machine.url == own) == (fault == .refused(status: status)))
        // What became of somebody else's is no matter, once it is known.
        let foreign = other(.nothing)
        let isKnown = status == 404 || !lines.isEmpty
        #expect(foreign.answer(status, lines) == (isKnown ? .proceed : .sendPlainly))
        #expect(foreign.leg == (isKnown ? .creation : .over))
        #expect(foreign.url == nil)
    }

    @Test func `no answers at all lead on for ever`() {
        var generator = SplitMix64(seed: 5)
        let lines = [
            "Upload-Offset: 0", "Upload-Offset: 500000", "Upload-Offset: 1000000",
            "Upload-Complete: ?0",
            "Upload-Complete: ?1", "Upload-Limit: max-append-size=1", "Upload-Offset: x",
            "Upload-Draft-Interop-Version: 5", "Location: /u/3",
        ]
        let statuses = [200, 201, 204, 307, 400, 404, 409, 413, 500, 503]
        for _ in 0..<2000 {
            let machine = begun(isRepeatable: Bool.random(using: &generator))
            var requests = 0
            while requests < 5000 {
                requests += 1
                let some = lines.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                let status = statuses.randomElement(using: &generator) ?? 200
                var step = machine.answer(status, some)
                if case .cancellation = machine.leg, step == .proceed { step = machine.didCancel() }
                guard step == .proceed, machine.leg != .over else { break }
            }
            #expect(requests < 5000)
        }
    }
}
