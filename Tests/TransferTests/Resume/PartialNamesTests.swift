import Testing

@testable import Transfer

@Suite struct PartialNamesTests {
    @Test func `names are hidden and begin with that of the file`() {
        let names = PartialNames(of: "file.tar.gz")
        #expect(names?.part == ".file.tar.gz.part")
        #expect(names?.record == ".file.tar.gz.part.record")
    }

    @Test func `a name too long for a suffix has no partial file`() {
        #expect(PartialNames(of: String(repeating: "a", count: 242))?.record.utf8.count == 255)
        #expect(PartialNames(of: String(repeating: "a", count: 243)) == nil)
        #expect(PartialNames(of: "") == nil)
    }
}
