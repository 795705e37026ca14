import SystemKit
import TestSupport
import Testing

@Suite struct SymbolicLinkTests {
    @Test func `a link names its target as it is written`() throws {
        let folder = try TemporaryFolder()
        try folder.link("a", to: "../no/such/file")
        try folder.write("x", to: "b")
        #expect(SymbolicLink.target(of: folder.path("a")) == "../no/such/file")
        #expect(SymbolicLink.target(of: folder.path("b")) == nil)
        #expect(SymbolicLink.target(of: folder.path("c")) == nil)
    }
}
