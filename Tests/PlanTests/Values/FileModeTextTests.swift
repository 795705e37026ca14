import Testing

@testable import Plan

@Suite struct FileModeTextTests {
    @Test(arguments: [
        ("0644", UInt16(0o644)), ("644", 0o644), ("0000", 0), ("0777", 0o777), ("600", 0o600),
    ])
    func `a mode is octal`(text: String, mode: UInt16) throws {
        #expect(try FileModeText.parse(text) == mode)
    }

    @Test(arguments: [
        "", "0", "64", "00644", "4755", "1777", "0888", "rwx", "0o644", "+644", "-644", "٦٤٤",
    ])
    func `an invalid mode is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try FileModeText.parse(text) }
        #expect(fault?.code == .badValue)
    }

    @Test(arguments: [
        ("644", #""0644""#), ("0o644", #""0644""#), ("0644", #""0644""#), ("7", nil), ("999", nil),
    ])
    func `an integer mode is read as its octal digits`(text: String, likely: String?) {
        #expect(FileModeText.likely(text) == likely)
    }
}
