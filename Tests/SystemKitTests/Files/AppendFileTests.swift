import SystemKit
import TestSupport
import Testing

@Suite struct AppendFileTests {
    @Test func `added bytes follow the existing ones`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("one ", to: "file")
        let folder = try Folder(path: temporary.path, create: false)
        let file = try AppendFile(in: folder, name: "file")
        try file.append(Array("two ".utf8), at: 4)
        try file.append([], at: 8)
        try file.append(Array("three".utf8), at: 8, isDurable: false)
        #expect(try temporary.text("file") == "one two three")
    }

    @Test func `a patch changes its own place and no other`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("one ", to: "file")
        let folder = try Folder(path: temporary.path, create: false)
        let file = try AppendFile(in: folder, name: "file")
        try file.append(Array("two".utf8), at: 4, then: .init(offset: 1, bytes: Array("NE".utf8)))
        #expect(try temporary.text("file") == "oNE two")
    }

    @Test func `a file that something else has changed is left alone`() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("one ", to: "file")
        let folder = try Folder(path: temporary.path, create: false)
        let file = try AppendFile(in: folder, name: "file")
        for text in ["one", "one two"] {
            try temporary.write(text, to: "file")
            let error = try #require(throws: SystemError.self) {
                try file.append(Array("three".utf8), at: 4)
            }
            #expect(error.message.hasSuffix("another program has changed the file"))
            #expect(try temporary.text("file") == text)
        }
    }

    @Test func `a missing file and a link are refused`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        #expect(throws: SystemError.self) { try AppendFile(in: folder, name: "file") }
        try temporary.write("", to: "target")
        _ = try Command("ln", ["-s", "target", temporary.path("link")]).run()
        #expect(throws: SystemError.self) { try AppendFile(in: folder, name: "link") }
    }

    @Test func `a full disk is reported`() throws {
        let folder = try Folder(path: "/dev", create: false)
        let file = try AppendFile(in: folder, name: "full")
        let error = try #require(throws: SystemError.self) { try file.append([1], at: 0) }
        #expect(error.operation == "write")
    }

    @Test func `a failed sync is an error`() throws {
        let folder = try Folder(path: "/dev", create: false)
        let file = try AppendFile(in: folder, name: "null")
        try file.append([1], at: 0, isDurable: false)
        let error = try #require(throws: SystemError.self) { try file.append([1], at: 0) }
        #expect(error.operation == "sync")
    }
}
