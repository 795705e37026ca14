import Testing
import TransferModel

@testable import Transfer

@Suite struct MultipartFormTests {
    /// Always the same number.
    private struct Fixed: RandomNumberGenerator {
        let number: UInt64
        func next() -> UInt64 { number }
    }

    private func form(_ number: UInt64 = 0xAB) -> MultipartForm {
        var generator = Fixed(number: number)
        return MultipartForm(using: &generator)
    }

    private func text(_ parts: [BodyPart]) -> String {
        form().segments(of: parts).map { segment in
            switch segment {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .file(let path, _): "<\(path)>"
            }
        }.joined().replacing(form().boundary, with: "B").replacing("\r\n", with: "|")
    }

    @Test func `a boundary is 39 random characters`() {
        #expect(form().boundary == "runner-00000000000000ab00000000000000ab")
        #expect(form(.max).boundary == "runner-" + String(repeating: "f", count: 32))
        let expected = "multipart/form-data; boundary=\(form().boundary)"
        #expect(form().contentType == HeaderField(name: "Content-Type", value: expected))
        var generator = SystemRandomNumberGenerator()
        let some = (0..<10).map { _ in MultipartForm(using: &generator).boundary }
        #expect(Set(some).count == 10)
    }

    @Test func `a boundary from an idempotency key is constant and hides the key`()
        throws
    {
        let boundary = try #require(MultipartForm(key: "\"order-1\"")?.boundary)
        #expect(boundary == MultipartForm(key: "\"order-1\"")?.boundary)
        #expect(boundary != MultipartForm(key: "\"order-2\"")?.boundary)
        #expect(boundary.utf8.count == 39)
        #expect(!boundary.contains("order"))
    }

    @Test func `parts stand between boundaries with their fields`() {
        let parts = [
            BodyPart(name: "a", content: .bytes(Array("one".utf8))),
            BodyPart(
                name: "b",
                fileName: "b.csv",
                headers: [
                    HeaderField(name: "Content-Type", value: "text/csv"),
                    HeaderField(name: "X-Y", value: "z"),
                ],
                content: .file(path: "/in/b")
            ),
            BodyPart(name: "c", content: .bytes([])),
        ]
        #expect(
            text(parts)
                == "--B|Content-Disposition: form-data; name=\"a\"||one|"
                + "--B|Content-Disposition: form-data; name=\"b\"; filename=\"b.csv\"|"
                + "Content-Type: text/csv|X-Y: z||</in/b>|"
                + "--B|Content-Disposition: form-data; name=\"c\"|||--B--|"
        )
    }

    /// HTML Standard, "multipart/form-data encoding algorithm".
    @Test(arguments: [
        ("plain", "plain"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("50%22\\;", "50%22\\;"),
        ("é☃😀", "é☃😀"), ("", ""),
    ])
    func `names are escaped as browsers do`(name: String, written: String) {
        let parts = [BodyPart(name: name, fileName: name, content: .bytes([]))]
        let expected = "form-data; name=\"\(written)\"; filename=\"\(written)\"|||"
        #expect(text(parts) == "--B|Content-Disposition: \(expected)--B--|")
    }
}
