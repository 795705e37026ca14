import Testing

@testable import Transfer

@Suite struct ContentRangeTests {
    // RFC 9110 §14.4
    @Test(
        arguments: [
            ("bytes 0-0/1", 0...0, 1), ("bytes 5-9/10", 5...9, 10), ("BYTES 5-9/*", 5...9, nil),
            ("bytes 0-9223372036854775806/9223372036854775807", 0...(.max - 1), .max),
        ] as [(String, ClosedRange<Int64>, Int64?)]
    )
    func `a range of bytes is read`(text: String, bytes: ClosedRange<Int64>, total: Int64?) {
        let range = ContentRange(text)
        #expect(range?.bytes == bytes)
        #expect(range?.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes */10", "bytes 5-9", "bytes=5-9/10", "items 5-9/10", "bytes 9-5/10",
        "bytes 5-9/9", "bytes 5-/10", "bytes -9/10", "bytes 5-9/", "bytes  5-9/10", "bytes 5-9/10 ",
        "bytes +5-9/10", "bytes 5-9/-10", "bytes 5-9/10/11", "bytes 5-9-11/12",
        "bytes 0-9223372036854775808/9223372036854775809", "bytes 5-9/1_0", "bytes ٥-9/10",
    ])
    func `anything else is no range`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
