import Testing
import TestSupport

@testable import Plan

@Suite struct FileMediaTypeTests {
    @Test func `the documentation has every known ending and its type`() throws {
        let path = #filePath.replacing(
            #/Tests/PlanTests/.*/#,
            with: "Sources/runner/runner.docc/Uploads.md"
        )
        let page = String(decoding: try #require(Fixture.read(path)), as: UTF8.self)
        for (ending, type) in FileMediaType.known {
            #expect(page.contains("`.\(ending)`"), "\(ending)")
            let words = type.hasPrefix("image/") ? String(type.dropFirst(6)) : type
            #expect(page.contains("`\(words)`"), "\(type)")
        }
    }
}
