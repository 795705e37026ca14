import Testing

@testable import Plan

@Suite struct ByteSizeTextTests {
    @Test(arguments: [
        ("0B", 0), ("512B", 512), ("1kB", 1000), ("1KiB", 1024), ("10MB", 10_000_000),
        ("10MiB", 10 << 20), ("1.5GiB", 3 << 29), ("0.5B", 0), ("1024TiB", 1 << 50),
    ])
    func `a size is bytes`(text: String, expected: Int64) throws {
        #expect(try ByteSizeText.parse(text) == expected)
    }

    @Test(arguments: [
        ("1024", "1024B"), ("10 MiB", "10MiB"), ("5mb", "5MB"), ("1.5k", "1.5kB"), ("2gib", "2GiB"),
    ])
    func `a probable spelling is offered`(text: String, likely: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteSizeText.parse(text) }
        #expect(fault?.code == .badSize)
        #expect(fault?.likely == likely)
    }

    @Test(arguments: ["", "B", "-1B", "1B/s", "one", "1PiB"])
    func `an invalid size is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteSizeText.parse(text) }
        #expect(fault?.code == .badSize)
    }

    @Test(arguments: ["1025TiB", "9223372036854775807TiB", "99999999999999999999B"])
    func `a size past the largest is out of range`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteSizeText.parse(text) }
        #expect(fault?.code == .outOfRange)
    }
}
