import CurlKit
import SystemKit
import Testing

@Suite struct CurlLibraryTests {
    @Test(arguments: [("7.87.0", 0x075700), ("7.74.0", 0x074A00), ("6.5", 0x060500)])
    func `a libcurl that is too old is refused by its version`(version: String, number: Int) {
        let failure = CurlLibrary.LoadFailure(version: version, number: number)
        #expect(failure?.message == "libcurl 7.88 or newer is needed, this is \(version)")
    }

    @Test(arguments: [("7.88.0", 0x075800), ("7.88.1", 0x075801), ("8.15.0", 0x080F00)])
    func `a libcurl that is new enough is taken`(version: String, number: Int) {
        #expect(CurlLibrary.LoadFailure(version: version, number: number) == nil)
    }

    /// `Scripts/test-curl8` names the version that it has put in the way of the system's.
    @Test func `the tests run with the requested libcurl`() throws {
        let wanted = ProcessContext.variable("RUNNER_TEST_LIBCURL") ?? ""
        #expect(try CurlLibrary.load().version.hasPrefix(wanted))
    }
}
