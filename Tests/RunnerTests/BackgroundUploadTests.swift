import SystemKit
import TestSupport
import Testing

/// Cut uploads of background sessions: those that the next run resumes, and those that it does not
/// send anew.
@Suite struct BackgroundUploadTests {
    /// An upload of an order without a key whose run was killed when its server had a part of it,
    /// or all.
    private func cutUpload(_ server: UploadOrigin, _ held: Gate) throws -> JobFolder {
        let job = try BackgroundTests.job(
            """
            uploads:
              a: { url: "\(server.url("/orders"))", file: body.bin, headers: { Expect: 100-continue } }
            """
        )
        try job.folder.write(Self.upload, to: "body.bin")
        let running = try job.runCommand().start()
        try held.wait()
        try job.folder.wait(for: "the record of an upload") { try !uploadRecords(job).isEmpty }
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        return job
    }

    private static let upload = FileContent.patterned(4 << 20)

    private func uploadRecords(_ job: JobFolder) throws -> [String] {
        let folder = ".local/state/runner/uploads"
        guard job.folder.contains(folder) else { return [] }
        return try job.folder.list(folder).flatMap { try job.folder.list("\(folder)/\($0)") }
            .filter { $0.hasSuffix(".upload") }
    }

    @Test(arguments: [UploadOrigin.Fault.hold(after: 3_000_000), .hold(after: upload.count)])
    func `an order without a key resumes if its server has a part of it`(
        fault: UploadOrigin.Fault
    ) throws {
        let held = try Gate()
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: fault]
                $0.held = held
            }
        )
        let job = try cutUpload(server, held)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.method).prefix(2) == ["POST", "HEAD"])
        #expect(server.bodies == [Self.upload])
        #expect(run.task("a")?["extension"]?["earlier"]?["attempts"]?.integer == 1)
        #expect(try uploadRecords(job) == [])
    }

    /// The obstacle to resuming, and the bytes that the server has.
    @Test(
        arguments: [
            ("sed -i 's/Expect/X-Tenant: b, Expect/' job.yaml", upload.count, nil, 2),
            ("touch body.bin", upload.count, nil, 2),
            ("sed -i 's/Expect/Upload-Complete: \"?1\", Expect/' job.yaml", 3_000_000, nil, 1),
            ("sed -i 's/body.bin/body.bin, resumable: none/' job.yaml", 3_000_000, nil, 1),
            ("rm -r .local/state/runner/uploads", 3_000_000, nil, 1),
            ("true", 3_000_000, UploadOrigin.Fault.forget, 2),
            ("true", 3_000_000, .answer(403), 2),
        ] as [(String, Int, UploadOrigin.Fault?, Int)]
    )
    func `an order without a key that cannot resume is not sent anew`(
        change: String,
        count: Int,
        fault: UploadOrigin.Fault?,
        requests: Int
    ) throws {
        let held = try Gate()
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .hold(after: count)]
                $0.faults[1] = fault
                $0.held = held
            }
        )
        let job = try cutUpload(server, held)
        let changed = try Command("sh", ["-c", change], workingFolder: job.folder.path).run()
        #expect(changed.status == .exit(0))
        let run = try job.run()
        #expect(run.code == 1)
        #expect(server.requests.map(\.method) == Array(["POST", "HEAD"].prefix(requests)))
        let error = try #require(run.task("a")?["error"])
        let isUnknown = error["message"]?.string?.contains("outcome unknown") == true
        // A server that answers 403 may still have the upload, and is asked again.
        #expect(isUnknown == (fault != .answer(403)), "\(error)")
        #expect(error["retryable"]?.bool == false)
    }
}
