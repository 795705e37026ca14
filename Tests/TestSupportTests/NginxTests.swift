import TestSupport
import Testing

@Suite struct NginxTests {
    private func curl(_ arguments: String...) throws -> Command.Outcome {
        try Command("curl", ["-s", "-q"] + arguments).run()
    }

    @Test func `files come from the root and requests are in the log`() throws {
        let nginx = try Nginx()
        try nginx.root.write("content", to: "a.txt")
        #expect(try curl("\(nginx.origin)/a.txt").standardOutput == "content")
        #expect(try curl("\(nginx.origin)/slow/a.txt").standardOutput == "content")
        #expect(
            try curl("-w", "%{http_code}", "-o", "/dev/null", "\(nginx.origin)/b").standardOutput
                == "404"
        )
        let requests = try nginx.requests()
        #expect(requests.map(\.target) == ["/a.txt", "/slow/a.txt", "/b"])
        #expect(requests.map(\.status) == [200, 200, 404])
    }

    @Test func `the body of an order is read and kept as it came`() throws {
        let nginx = try Nginx()
        let body = "{\"a\":\n\t\"b\"}"
        let answer = try curl(
            "-i",
            "-d",
            body,
            "-H",
            "Idempotency-Key: \"k\"",
            "\(nginx.origin)/orders"
        )
        #expect(answer.standardOutput.hasPrefix("HTTP/1.1 201 "))
        #expect(answer.standardOutput.contains("application/json"))
        #expect(answer.standardOutput.hasSuffix("{\"ok\":true}"))
        let request = try #require(try nginx.requests().first)
        #expect(request.method == "POST")
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.idempotencyKey == "\"k\"")
    }

    @Test func `the right certificate is accepted and wrong ones are refused`() throws {
        let certificates = try TestCertificates.shared()
        let authority = ["--cacert", certificates.authorityFile]
        for (identity, code) in [
            (certificates.server, Int32(0)), (certificates.expired, 60),
            (certificates.wrongHost, 60),
        ] {
            let nginx = try Nginx(certificate: identity)
            let url = try #require(nginx.secureOrigin) + "/.alive"
            #expect(
                try Command("curl", ["-s", "-q"] + authority + [url]).run().status == .exit(code)
            )
            #expect(try curl(url).status == .exit(60))
        }
    }

    @Test func `a configuration that nginx rejects is an error with the reason`() throws {
        let error = try #require(throws: MissingTool.self) { try Nginx(locations: "nonsense;") }
        #expect(error.description.contains("nonsense"))
    }

    @Test func `nginx ends with its holder`() throws {
        var nginx: Nginx? = try Nginx()
        let origin = try #require(nginx?.origin)
        #expect(try curl(origin).status == .exit(0))
        nginx = nil
        #expect(try curl(origin).status == .exit(7))
    }
}
