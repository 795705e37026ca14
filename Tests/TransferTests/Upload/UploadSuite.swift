import TestSupport
import TransferModel

@testable import Transfer

/// Tests of attempts at an upload, one after the other.
protocol UploadSuite {
    /// The folder of the body and of saved responses.
    var folder: TemporaryFolder { get }
}

/// The source of a body.
enum UploadSource: String, CaseIterable, Sendable {
    case file, bytes, multipart

    static let size = 3 << 20
    static let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
}

extension UploadSuite {
    typealias Source = UploadSource

    static var size: Int { Source.size }
    static var body: [UInt8] { Source.body }

    func source(_ source: Source) throws -> BodySource {
        switch source {
        case .bytes: return .bytes(Self.body)
        case .file: return .file(path: try folder.write(Self.body, to: "body"))
        case .multipart:
            let path = try folder.write(Self.body, to: "body")
            return .multipart([
                BodyPart(name: "a", content: .bytes(Array("text".utf8))),
                BodyPart(name: "b", fileName: "body", content: .file(path: path)),
            ])
        }
    }

    /// Makes attempts until one succeeds or leaves nothing to resume.
    func upload(
        _ url: String,
        _ source: Source = .file,
        method: String = "POST",
        most: Int = 5,
        harness: EngineHarness? = nil,
        _ change: (inout AttemptRequest) throws -> Void = { _ in }
    ) throws -> [AttemptResult] {
        let harness = try harness ?? EngineHarness()
        let body = try self.source(source)
        var partial: PartialUpload?
        var results: [AttemptResult] = []
        while results.count < most {
            var attempt = try AttemptRequest.to(url, method: method, body: body)
            attempt.number = results.count + 1
            attempt.upload = .init(id: "a", isKept: false, partial: partial)
            attempt.requiresFreshConnection = true
            // Makes the body wait for the response that follows the 104, so that the client
            // receives it before a cut.
            attempt.request.headers = [HeaderField(name: "Expect", value: "100-continue")]
            try change(&attempt)
            let result = try harness.run(attempt)
            results.append(result)
            partial = result.resume?.upload?.partial
            if result.failure == nil || partial == nil { break }
        }
        return results
    }

    func reasons(_ results: [AttemptResult]) -> [String] {
        results.map { $0.transactions.map(\.reason.rawValue).joined(separator: " ") }
    }
}

extension [[UInt8]] {
    /// Whether it is the only body; a large array does not fit into a message.
    func isOnly(_ body: [UInt8]) -> Bool { self == [body] }
}
