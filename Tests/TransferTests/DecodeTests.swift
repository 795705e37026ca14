import CurlKit
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Bodies that are stored without the coding that the server chose.
@Suite struct DecodeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let text = Array(String(repeating: "a line of some text\n", count: 20_000).utf8)

    /// The output of a command for bytes on its standard input.
    private func coded(_ bytes: [UInt8], by command: [String]) throws -> [UInt8] {
        let plain = try folder.write(bytes, to: ".plain")
        let script = "\(command.joined(separator: " ")) <'\(plain)' >'\(folder.path(".coded"))'"
        #expect(try Command("sh", ["-c", script]).run().status == .exit(0))
        return try folder.read(".coded")
    }

    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] { try coded(bytes, by: ["gzip", "-9"]) }

    private func download(
        _ reply: Reply,
        decode: Bool = true,
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> (result: AttemptResult, request: RecordedRequest) {
        let server = try ScriptedServer(["/": [reply]])
        var attempt = try AttemptRequest.download(server.url("/"), to: folder.path("out"))
        attempt.decodesBody = decode
        change(&attempt)
        let result = try EngineHarness().run(attempt)
        return (result, try #require(server.requests.first))
    }

    @Test(arguments: [0, 1, 60_000, 400_000], [true, false])
    func `a gzip body is stored decoded, and counted as it came`(
        size: Int,
        isChunked: Bool
    ) throws {
        let body = Array(Self.text.prefix(size))
        let coded = try gzip(body)
        let head = ["Content-Encoding: gzip"]
        let (result, request) = try download(
            isChunked ? .chunked([coded], head) : .ok(coded, head)
        )
        #expect(result.failure == nil)
        #expect(try folder.read("out") == body)
        #expect(result.file?.size == Int64(size))
        #expect(result.countOfBytesReceived == Int64(coded.count))
        #expect(result.countOfBytesExpectedToReceive == (isChunked ? nil : Int64(coded.count)))
        let transaction = try #require(result.transactions.last)
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == Int64(size))
        #expect(request.headers["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test(arguments: ["gzip", "x-gzip", "GZIP", "deflate"])
    func `codings are known by all of their names`(name: String) throws {
        // zlib's two bytes of head, one stored block and Adler-32.
        let zlib: [UInt8] = [0x78, 0x01, 1, 2, 0, 253, 255, 0x68, 0x69, 0x01, 0x3B, 0x00, 0xD2]
        let body = name == "deflate" ? zlib : try gzip(Array("hi".utf8))
        let (result, _) = try download(.ok(body, ["Content-Encoding: \(name)"]))
        #expect(result.failure == nil)
        #expect(try folder.text("out") == "hi")
    }

    @Test func `a zstd body is stored decoded`() throws {
        let coded = try coded(Self.text, by: ["zstd", "-19"])
        let (result, _) = try download(.ok(coded, ["Content-Encoding: zstd"]))
        #expect(result.failure == nil)
        #expect(try folder.read("out") == Self.text)
        let cut = Array(coded.dropLast(3))
        #expect(try download(.ok(cut, ["Content-Encoding: zstd"])).result.failure != nil)
    }

    @Test func `a brotli body is stored decoded`() throws {
        // A window of 16 bits, one uncompressed block of two bytes, and the empty last block (RFC
        // 7932 §9).
        let coded: [UInt8] = [0x8B, 0x00, 0x80, 0x68, 0x69, 0x03]
        let (result, _) = try download(.ok(coded, ["Content-Encoding: br"]))
        #expect(result.failure == nil)
        #expect(try folder.text("out") == "hi")
        let cut = Array(coded.dropLast())
        #expect(try download(.ok(cut, ["Content-Encoding: br"])).result.failure != nil)
    }

    @Test func `gzip members behind each other are one body`() throws {
        let coded = try gzip(Array("one ".utf8)) + gzip(Array("two".utf8))
        let (result, _) = try download(.ok(coded, ["Content-Encoding: gzip"]))
        #expect(result.failure == nil)
        #expect(try folder.text("out") == "one two")
    }

    @Test(arguments: [nil, "identity", ""])
    func `a body without a coding is stored as it is`(coding: String?) throws {
        let head = coding.map { ["Content-Encoding: \($0)"] } ?? []
        let (result, _) = try download(.ok("plain", head))
        #expect(result.failure == nil)
        #expect(try folder.text("out") == "plain")
    }

    @Test func `without decode a coded body is stored as it was sent`() throws {
        let coded = try gzip(Self.text)
        let (result, request) = try download(
            .ok(coded, ["Content-Encoding: gzip"]),
            decode: false
        )
        #expect(result.failure == nil)
        #expect(try folder.read("out") == coded)
        #expect(request.headers["Accept-Encoding"] == "identity")
    }

    @Test(arguments: [1, 4, 8, 9])
    func `a gzip body that ends early is no file`(missing: Int) throws {
        try folder.write("old", to: "out")
        let cut = Array(try gzip(Self.text).dropLast(missing))
        let (result, _) = try download(.ok(cut, ["Content-Encoding: gzip"]))
        #expect(result.failure?.kind == .protocolViolation)
        #expect(result.failure?.detail == "the gzip body ends early")
        #expect(result.checks.last?.check == .decoding)
        #expect(result.checks.last?.passed == false)
        #expect(try folder.text("out") == "old")
    }

    @Test(arguments: ["Content-Encoding: gzip", "Content-Encoding: br"])
    func `a coded body without a byte is whole only when nothing was announced`(
        field: String
    ) throws {
        let head = "HTTP/1.1 200 OK\r\n\(field)\r\n"
        let (cut, _) = try download(.raw(head + "\r\n", then: [.close]))
        #expect(cut.failure?.kind == .protocolViolation)
        #expect(!folder.contains("out"))
        let (empty, _) = try download(.raw(head + "Content-Length: 0\r\n\r\n"))
        #expect(empty.failure == nil)
        #expect(try folder.text("out") == "")
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
        let (ended, _) = try download(.raw(chunked + "0\r\n\r\n"))
        #expect(ended.failure == nil)
        #expect(try folder.text("out") == "")
        let (half, _) = try download(.raw(chunked, then: [.close]))
        #expect(half.failure != nil)
        let (none, _) = try download(.raw("HTTP/1.1 204 None\r\n\(field)\r\n\r\n"))
        #expect(none.failure == nil)
        let (asked, _) = try download(.raw(head + "Content-Length: 9\r\n\r\n")) {
            $0.request.method = "HEAD"
        }
        #expect(asked.failure == nil)
    }

    @Test(arguments: [0, 12, -6, -2])
    func `a gzip body with a wrong byte is no file`(place: Int) throws {
        var coded = try gzip(Self.text)
        coded[place < 0 ? coded.count + place : place] ^= 0x55
        let (result, _) = try download(.ok(coded, ["Content-Encoding: gzip"]))
        #expect(result.failure?.kind == .protocolViolation)
        #expect(!folder.contains("out"))
    }

    @Test func `bytes behind a gzip body are a fault`() throws {
        let coded = try gzip(Self.text) + Array("more".utf8)
        let (result, _) = try download(.ok(coded, ["Content-Encoding: gzip"]))
        #expect(result.failure?.kind == .protocolViolation)
        #expect(!folder.contains("out"))
    }

    @Test(arguments: ["gzip, gzip", "compress", "gzip, br", "\u{1}"])
    func `other codings and several are refused`(coding: String) throws {
        let reply = Reply.ok("x", ["Content-Encoding: \(coding)"])
        let (result, _) = try download(reply) { $0.isDownload = true }
        #expect(result.failure?.kind == .protocolViolation)
        #expect(!folder.contains("out"))
    }

    @Test(arguments: ContentDecoder.Coding.allCases)
    func `decoding ends for any bytes`(coding: ContentDecoder.Coding) throws {
        let brotli: [UInt8] = [0x8B, 0x00, 0x80, 0x68, 0x69, 0x03]
        let whole =
            switch coding {
            case .gzip, .deflate: try gzip(Array(Self.text.prefix(3000)))
            case .brotli: brotli
            case .zstd: try coded(Array(Self.text.prefix(3000)), by: ["zstd"])
            }
        var generator = SplitMix64.forTests()
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let decoder = try #require(ContentDecoder(coding))
            var count = 0
            var rest = bytes.span
            while !rest.isEmpty {
                let most = Int.random(in: 1...40, using: &generator)
                let piece = rest.extracting(first: min(rest.count, most))
                rest = rest.extracting(droppingFirst: piece.count)
                func take(_ decoded: Span<UInt8>) -> Bool {
                    count += decoded.count
                    return count < 10_000_000
                }
                var progress = decoder.decode(piece, atMost: Int.random(in: 0...2000), take)
                while progress == .unfinished {
                    progress = decoder.decode([UInt8]().span, atMost: 1, take)
                }
                if progress != .decoded { break }
            }
            if bytes == whole { #expect(decoder.hasEnded) }
        }
    }

    /// Zeros by brotli: 16 MiB in each 14 bytes.
    private static func zeros(_ blocks: Int) -> [UInt8] {
        let first: [UInt8] = [207, 255, 255, 127, 0, 36, 0, 226, 177, 64, 114, 239, 255, 13]
        let next: [UInt8] = [252, 255, 255, 7, 64, 2, 32, 14, 11, 64, 247, 254, 223, 0]
        return first + Array(repeatElement(next, count: blocks - 1).joined()) + [3]
    }

    @Test(arguments: [true, false])
    func `a body that is decoded in several steps is stored whole`(isChunked: Bool) throws {
        let coded = Self.zeros(2)
        let head = ["Content-Encoding: br"]
        let reply =
            isChunked
            ? Reply.chunked([Array(coded.prefix(9)), Array(coded.dropFirst(9))], head)
            : .ok(coded, head)
        let (result, _) = try download(reply)
        #expect(result.failure == nil)
        #expect(result.file?.size == 32 << 20)
        #expect(result.countOfBytesReceived == Int64(coded.count))
    }

    @Test func `a body that decodes to more than any content is refused for good`() throws {
        let server = try ScriptedServer(["/": [.ok(Self.zeros(80), ["Content-Encoding: br"])]])
        let result = try EngineHarness().run(try .to(server.url("/")) { $0.decodesBody = true })
        let failure = try #require(result.failure)
        #expect(failure.kind == .protocolViolation)
        #expect(failure.detail.contains("decompression bomb"))
        #expect(failure.isPermanent)
        #expect(result.checks.last?.check == .decoding)
    }

    @Test func `a deadline ends an attempt while its body is decoded`() throws {
        // Archives of zeros are no content to refuse, and take long enough to decode.
        let coded = try coded([], by: ["{ head -c 1000000000 /dev/zero | zstd; }"])
        let server = try ScriptedServer(["/": [.ok(coded, ["Content-Encoding: zstd"])]])
        let attempt = try AttemptRequest.to(server.url("/")) {
            $0.decodesBody = true
            $0.deadline =
                MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + .milliseconds(20)
        }
        #expect(try EngineHarness().run(attempt).failure?.kind == .timeout)
    }

    @Test func `a small body that expands to a large one stops at the largest size`() throws {
        let bomb = try gzip([UInt8](repeating: 0, count: 40_000_000))
        let (result, _) = try download(.ok(bomb, ["Content-Encoding: gzip"])) {
            $0.expectation.maximumSize = 1_000_000
        }
        #expect(result.failure?.kind == .tooLarge)
        let decoded = try #require(result.transactions.last).countOfResponseBodyBytesAfterDecoding
        #expect(decoded < 1_100_000)
        #expect(!folder.contains("out"))
    }
}
