import SystemKit
import TestSupport
import Testing
import TransferModel

/// Header fields with `${body.…}`.
@Suite struct BodyDigestTests {
    @Test func `a field has the digest of the bytes that are sent, in digits or in Base64`() throws
    {
        let content = FileContent.patterned(3_000_000)
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            variables: { name: report }
            uploads:
              file:
                url: \(server.origin)/file
                method: PUT
                file: large.bin
                resumable: none
                headers:
                  X-Name: "${var.name}-${body.sha256}.bin"
                  Repr-Digest: "sha-256=:${body.sha256Base64}:, sha-512=:${body.sha512Base64}:"
              text:
                url: \(server.origin)/text
                text: hello
                headers: { Content-MD5: "${body.md5Base64}", X-Digest: "${body.md5}" }
            """
        )
        try job.folder.write(content, to: "large.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let file = try #require(server.requests(for: "/file").first)
        let sums = try ["256", "512"].map { size in
            let line = try Command("sha\(size)sum", [job.folder.path("large.bin")]).run()
            return String(line.standardOutput.prefix { $0 != " " })
        }
        #expect(file.body == content)
        #expect(file.headers["X-Name"] == "report-\(sums[0]).bin")
        let encoded = sums.map { Base64.encode(Self.bytes($0)) }
        #expect(
            file.headers["Repr-Digest"] == "sha-256=:\(encoded[0]):, sha-512=:\(encoded[1]):"
        )
        let text = try #require(server.requests(for: "/text").first)
        #expect(text.headers["X-Digest"] == "5d41402abc4b2a76b9719d911017c592")
        #expect(text.headers["Content-MD5"] == "XUFAKrxLKna5cZ2REBfFkg==")
    }

    @Test func `the digest of a form with files covers its boundaries, in each attempt`() throws {
        let server = try ScriptedServer(["/": [.status(503), .ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              form:
                url: \(server.origin)/
                method: PUT
                multipart: { a: { file: a.txt }, b: { file: b.txt } }
                headers: { X-Digest: "${body.sha256}" }
                resumable: none
                retry: { attempts: 2, backoff: { initial: 1ms } }
            """
        )
        try job.folder.write("first", to: "a.txt")
        try job.folder.write("second", to: "b.txt")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 2)
        for (index, request) in server.requests.enumerated() {
            try job.folder.write(request.body, to: "sent.\(index)")
            let line = try Command("sha256sum", [job.folder.path("sent.\(index)")]).run()
            #expect(request.headers["X-Digest"].map(line.standardOutput.hasPrefix) == true)
        }
    }

    @Test func `a redirect without the body takes no digest along`() throws {
        let server = try ScriptedServer { request in
            request.path == "/a" ? .status(303, ["Location: /b"]) : .ok("")
        }
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a:
                url: \(server.origin)/a
                text: hello
                headers: { X-Digest: "${body.md5}", X-Other: stays }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map { $0.headers["X-Digest"] != nil } == [true, false])
        #expect(server.requests.map { $0.headers["X-Other"] } == ["stays", "stays"])
    }

    @Test func `a file that changes after its digest was computed fails the upload`() throws {
        let folder = try JobFolder("").folder
        try folder.write("before", to: "file.bin")
        let path = folder.path("file.bin")
        let server = try ScriptedServer { request in
            guard request.path == "/a" else { return .ok("") }
            _ = try? Command("sh", ["-c", "printf changed > \"$0\"", path]).run()
            return .status(307, ["Location: /b"])
        }
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a:
                url: \(server.origin)/a
                method: PUT
                file: \(path)
                headers: { X-Digest: "${body.md5}" }
            """
        )
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        let failure = run.task("a")?["error"]
        #expect(failure?["kind"]?.string == "localIO")
        #expect(failure?["message"]?.string?.contains("changed") == true)
    }

    /// The bytes of hexadecimal digits.
    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.utf8.compactMap(\.hexadecimalValue)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
