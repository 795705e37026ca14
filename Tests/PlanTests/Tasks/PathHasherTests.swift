import Testing

@testable import Plan

@Suite struct PathHasherTests {
    @Test(arguments: ["/a", "/a/b", "/a/b/c.txt", "/a/b/", "/ä/ö/ü"])
    func `a folder on the way has the hash that it has as a path`(path: String) {
        var hasher = PathHasher()
        let hash = hasher.hash(of: path.utf8.span)
        let folders = hasher.folders
        for folder in folders {
            var other = PathHasher()
            let part = String(path.slice(0..<folder.end))
            #expect(other.hash(of: part.utf8.span) == folder.hash, "\(part)")
        }
        #expect(
            folders.count == path.split(separator: "/", omittingEmptySubsequences: false).count - 2
        )
        #expect(hasher.hash(of: path.utf8.span) == hash)
    }

    @Test func `paths of one folder and of others are told apart`() {
        var hasher = PathHasher()
        let paths = ["/a", "/b", "/a/b", "/a/c", "/ab", "/a/b/c", "/a/bc", "/a/b/", "/"]
        #expect(Set(paths.map { hasher.hash(of: $0.utf8.span) }).count == paths.count)
    }

    @Test func `a path of folders without end is walked once`() {
        let path = String(repeating: "/a", count: 2000)
        var hasher = PathHasher()
        _ = hasher.hash(of: path.utf8.span)
        #expect(hasher.folders.map(\.end) == (1..<2000).map { $0 * 2 })
        #expect(Set(hasher.folders.map(\.hash)).count == 1999)
    }
}
