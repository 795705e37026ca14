import TestSupport

/// Tests of jobs with an upload that is cut.
protocol ResumableUploadSuite {}

/// The body of each upload.
private let content = FileContent.patterned(8 << 20)

extension ResumableUploadSuite {
    static var body: [UInt8] { content }

    /// Makes the body wait for the response that follows the 104, so that the client receives a
    /// scripted server's 104 before a cut.
    static var asking: String { ", headers: { Expect: 100-continue }" }

    func job(
        _ url: String,
        _ settings: String = "",
        session: String = "{}",
        asking: String = Self.asking
    ) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: \(session) }
            defaults: { retry: { attempts: 1, backoff: { initial: 1ms } } }
            uploads: { a: { url: "\(url)", file: body.bin\(settings)\(asking) } }
            """
        )
        try job.folder.write(Self.body, to: "body.bin")
        return job
    }

    /// The records of uploads that were left.
    func records(_ job: JobFolder) throws -> [String] {
        let folder = ".local/state/runner/uploads"
        guard job.folder.contains(folder) else { return [] }
        return try job.folder.list(folder).flatMap { try job.folder.list("\(folder)/\($0)") }
            .filter { $0.hasSuffix(".upload") }
    }
}

extension [[UInt8]] {
    /// Whether it is the only body; a large array does not fit into a message.
    func isOnly(_ body: [UInt8]) -> Bool { self == [body] }
}
