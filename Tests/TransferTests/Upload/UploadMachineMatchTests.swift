import Testing

@testable import Transfer

/// Records of another upload than the one that is to be made.
@Suite struct UploadMachineMatchTests: UploadMachineSuite {
    let urls: UploadMachineURLs

    init() throws { urls = try UploadMachineURLs() }

    /// A machine whose record belongs to another upload.
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
    func `an upload of another request is given up, and the new one begins`(
        match: UploadMachine.Match
    ) {
        expectBeginning(other(match, isRepeatable: true))
        // For an order that may not arrive twice the machine asks first.
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
        ] as [(Int, [String], UploadFault)]
    )
    func `a possibly complete order is not restarted under other fields`(
        status: Int,
        lines: [String],
        fault: UploadFault
    ) {
        let machine = other(.order)
        #expect(machine.answer(status, lines) == .fail(fault))
        #expect((machine.url == own) == (fault == .refused(status: status)))
        // The outcome of a foreign upload does not matter, once it is known.
        let foreign = other(.nothing)
        let isKnown = status == 404 || !lines.isEmpty
        #expect(foreign.answer(status, lines) == (isKnown ? .proceed : .sendPlainly))
        #expect(foreign.leg == (isKnown ? .creation : .over))
        #expect(foreign.url == nil)
    }
}
