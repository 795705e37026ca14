import TestSupport
import Testing

@testable import Transfer

/// Servers whose answers would lead on for ever.
@Suite struct UploadMachineProgressTests: UploadMachineSuite {
    let urls: UploadMachineURLs

    init() throws { urls = try UploadMachineURLs() }

    @Test(arguments: [
        "Upload-Limit: max-append-size=100000000", "Upload-Limit: max-append-size=300000",
    ])
    func `a part that was too long keeps its limit in spite of the server`(limit: String) {
        let machine = begun()
        #expect(machine.answer(413) == .proceed)
        var lengths: [Int64] = []
        while lengths.count < 20 {
            // The HEAD's limit differs from the 413's.
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
    func `an offset beyond the sent bytes is a fault`(lines: [String]) {
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

    @Test func `no series of responses makes the machine loop forever`() {
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
