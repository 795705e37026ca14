import JSON
import Testing
import TransferModel

@testable import Plan

@Suite struct ExpectTests {
    private func value(_ pointer: String, _ json: String) throws
        -> TransferModel.Expectation.JSONValueAt
    {
        .init(try #require(JSONPointer(pointer)), value: try JSONValue(json))
    }

    @Test func `all expectations of a body are read`() throws {
        let plan = try TestJob.download(
            """
            expect: {
              textEncoding: utf-8, maximumSize: 10MiB, headers: { Content-Length: 12, ETag: "*" },
              json: { /a: 1, /b: "1", /c: [true, null, { d: 1.5 }], "": 18446744073709551616 }
            }
            """
        )
        let expectation = try plan.task(at: 0).expectation
        #expect(expectation.textEncoding == .utf8)
        #expect(expectation.maximumSize == 10 << 20)
        #expect(
            expectation.headers == [
                HeaderField(name: "Content-Length", value: "12"),
                HeaderField(name: "ETag", value: "*"),
            ]
        )
        #expect(
            expectation.json == [
                try value("/a", "1"), try value("/b", #""1""#),
                try value("/c", #"[true,null,{"d":1.5}]"#), try value("", "18446744073709551616"),
            ]
        )
    }

    @Test func `a body has no expectations by default`() throws {
        let expectation = try TestJob.download("expect: { statusCode: 200 }").task(at: 0)
            .expectation
        #expect(!expectation.isAboutBody)
        #expect(expectation.headers.isEmpty)
        #expect(try TestJob.download("expect: { json: {} }").task(at: 0).expectation.json == [])
    }

    @Test func `a task's expectations are put over those of defaults`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults:
              expect:
                maximumSize: 1MiB
                textEncoding: us-ascii
                headers: { Server: one, Via: "*" }
                json: { /a: 1, /b: 2 }
            data:
              it:
                url: https://example.com/
                expect: { maximumSize: 2MiB, headers: { server: two }, json: [/b, /c] }
            """
        )
        let expectation = try plan.task(at: 0).expectation
        #expect(expectation.maximumSize == 2 << 20)
        #expect(expectation.textEncoding == .ascii)
        #expect(expectation.headers.map { $0.name + $0.value } == ["servertwo", "Via*"])
        let pointers = try #require(expectation.json).map { $0.pointer.description }
        #expect(pointers == ["/b", "/c", "/a"])
        #expect(expectation.json?.map { $0.value == nil } == [true, true, false])

        var text = ""
        PlanListing(plan).writeText { text += $0 }
        let lines = text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        for expected in [
            "expect.maximumSize 2MiB (line 11)", "expect.textEncoding us-ascii (line 5)",
            "expect.headers.server ••• (line 11)", "expect.headers.Via ••• (line 6)",
            "expect.json./a 1 (line 7)", "expect.json./b any (line 11)",
            "expect.json./c any (line 11)",
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
    }
}
