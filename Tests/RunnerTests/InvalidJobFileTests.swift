import TestSupport
import Testing

/// Every kind of invalid job file exits with 3 and says where, in bounded time.
@Suite struct InvalidJobFileTests {
    /// A job file, with the start of its message.
    struct Invalid: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var place: String

        init(_ name: String, _ text: String, _ place: String) {
            self.init(name, bytes: Array(text.utf8), place)
        }

        init(_ name: String, bytes: [UInt8], _ place: String) {
            self.name = name
            self.bytes = bytes
            self.place = place
        }

        var testDescription: String { name }

        static let task = "data:\n  a: { url: http://127.0.0.1:1/ }\n"

        static let bomb =
            "version: 1\nx-0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + (1...11).map { level in
                let alias = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                return "x-\(level): &a\(level) [\(alias)]\n"
            }.joined() + task

        static let all = [
            Invalid(
                "not UTF-8",
                bytes: Array("version: 1\nname: \"".utf8) + [0xC3, 0x28] + Array("\"\n".utf8),
                "job.yaml:2:8: error:"
            ),
            Invalid(
                "two documents",
                "version: 1\n\(task)---\nversion: 1\n",
                "job.yaml:4:1: error:"
            ),
            Invalid(
                "a tab indent",
                "version: 1\ndata:\n\ta: { url: http://127.0.0.1:1/ }\n",
                "job.yaml:3:1: error:"
            ),
            Invalid(
                "an undefined alias",
                "version: 1\ndata:\n  a: *nobody\n",
                "job.yaml:3:6: error:"
            ),
            Invalid("an alias bomb", bomb, "job.yaml:"),
            Invalid(
                "nesting past the limit",
                "version: 1\nx-deep: " + String(repeating: "[", count: 100_000),
                "job.yaml:2:"
            ),
            Invalid("a duplicate key", "version: 1\n\(task)version: 1\n", "job.yaml:4:1: error:"),
            Invalid(
                "an unknown key",
                "version: 1\ndata:\n  a: { url: http://127.0.0.1:1/, timout: 3s }\n",
                "job.yaml:3:34: error:"
            ),
            Invalid(
                "keys that exclude each other",
                "version: 1\n" + task + "streams:\n  s: { host: h, port: 7, secure: true, "
                    + "steps: [{ closeWrite: true }] }\n",
                "job.yaml:5:40: error: `closeWrite` in stream `s` and `secure: true` exclude each other"
            ),
            Invalid("no version", task, "job.yaml:1:1: error:"),
            Invalid("an empty file", "", "job.yaml:1:1: error:"),
        ]
    }

    @Test(arguments: Invalid.all)
    func `an invalid job file exits with 3 and the place of its fault`(_ invalid: Invalid) throws {
        let job = try JobFolder("")
        try job.folder.write(invalid.bytes, to: "job.yaml")
        for subcommand in ["validate", "plan", "run"] {
            let outcome = try job.runner([subcommand, "job.yaml"])
            #expect(outcome.status == .exit(3), "\(subcommand)")
            #expect(
                outcome.standardError.hasPrefix(invalid.place),
                "\(subcommand): \(outcome.standardError)"
            )
            #expect(outcome.standardOutput.isEmpty)
        }
        #expect(try job.folder.list() == ["job.yaml"])
    }

    @Test func `nothing is sent unless the whole job is valid`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            "version: 1\ndata:\n  a: { url: \(server.url("/")) }\n  b: { url: \"ht tp://x\" }\n"
        )
        #expect(try job.runCommand().run().status == .exit(3))
        #expect(server.requests.isEmpty)
    }

    @Test func `circular needs are listed`() throws {
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: http://127.0.0.1:1/, needs: [b] }
              b: { url: http://127.0.0.1:1/, needs: [a] }
            """
        )
        let outcome = try job.runCommand().run()
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("job.yaml:3:"))
    }
}
