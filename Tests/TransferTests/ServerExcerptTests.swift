import CurlKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ServerExcerptTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        // ContentDecoder finds its libraries beside libcurl.
        _ = try CurlLibrary.load()
    }

    private func help(_ bytes: [UInt8], isCut: Bool = false, coding: String? = nil) -> String? {
        var fields = HeaderFields()
        fields.append(HeaderField(name: "Content-Type", value: "text/plain"))
        if let coding { fields.append(HeaderField(name: "Content-Encoding", value: coding)) }
        return ServerExcerpt.help(
            of: bytes,
            isCut: isCut,
            head: ResponseHead(statusCode: 403, fields: fields)
        )
    }

    private func gzip(_ text: String) throws -> [UInt8] {
        let path = try folder.write(text, to: "body")
        #expect(try Command("gzip", ["-n", "-f", path]).run().status == .exit(0))
        return try folder.read("body.gz")
    }

    @Test func `a decoded body that is longer than the excerpt ends with an ellipsis`() throws {
        // White space collapses, so that few characters represent many bytes.
        let blanks = String(repeating: " ", count: 1010)
        let long = try gzip("a" + blanks + "hunter2longpassword")
        #expect(help(long, coding: "gzip") == "the server said: a hunter2longpa…")
        #expect(
            help(try gzip("a hunter2longpassword"), coding: "gzip")
                == "the server said: a hunter2longpassword"
        )
    }

    @Test func `a coded body that ends early ends with an ellipsis`() throws {
        let whole = try gzip((0..<400).map { "line \($0) of many" }.joined(separator: " "))
        let text = try #require(help(Array(whole.prefix(300)), coding: "gzip"))
        #expect(text.hasSuffix("…"))
    }

    @Test func `an excerpt of a longer text ends with an ellipsis`() {
        #expect(help(Array("quota".utf8)) == "the server said: quota")
        #expect(help(Array("quota".utf8), isCut: true) == "the server said: quota…")
    }

    @Test func `bytes that are no UTF-8 are read as ISO 8859-1`() {
        #expect(help([0x53, 0x74, 0x72, 0x61, 0xDF, 0x65]) == "the server said: Straße")
        #expect(help(Array("Straße".utf8)) == "the server said: Straße")
    }

    @Test func `a character that is cut at the end is left out`() {
        let bytes = Array("Straß".utf8)
        for count in bytes.count - 1...bytes.count {
            let text = help(Array(bytes.prefix(count)), isCut: true)
            #expect(
                text
                    == (count == bytes.count ? "the server said: Straß…" : "the server said: Stra…")
            )
        }
    }

    @Test(arguments: ["identity", "UTF-8", "none"])
    func `plain text with an invalid Content-Encoding is shown`(coding: String) {
        #expect(
            help(Array("quota exceeded".utf8), coding: coding) == "the server said: quota exceeded"
        )
        if coding != "identity" { #expect(help([0x1F, 0x8B, 8, 0], coding: coding) == nil) }
    }
}
