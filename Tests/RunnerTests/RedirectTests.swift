import TestSupport
import Testing
import TransferModel

@Suite struct RedirectTests {
    /// Every status, to another port and to another name of this machine, from one job.
    @Test func `a job's data for one origin goes to no other origin`() throws {
        let other = try ScriptedServer { _ in .ok("end") }
        let server = try ScriptedServer { request in
            let parts = request.path.split(separator: "/")
            guard parts.count == 2, let status = Int(parts[1]) else {
                return .ok("in", ["Set-Cookie: session=c00kie; Path=/; Max-Age=600"])
            }
            let location = "http://me:passw0rd@\(parts[0]):\(other.port)/end"
            return .status(
                status,
                ["Location: \(location)", "Set-Cookie: hop=c00kie; Path=/"]
            )
        }
        let tasks = ["127.0.0.1", "localhost"].flatMap { host in
            [301, 302, 303, 307, 308].map { status in
                """
                  t\(status)-\(host):
                    url: "\(server.origin)/\(host)/\(status)"
                    needs: [login]
                    headers: { Authorization: "Bearer ${secret.token}", X-Key: "${secret.token}", Referer: "http://a.example/" }
                """
            }
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            data:
              login: { url: "\(server.origin)/login" }
            \(tasks.joined(separator: "\n"))
            """
        )
        let run = try job.run(environment: ["TOKEN": "t0ken-t0ken"])
        #expect(run.code == 0, "\(run.command.standardError)")
        let hops = server.requests.filter { $0.path != "/login" }
        #expect(hops.count == 10)
        for request in hops {
            #expect(request.headers["authorization"] == "Bearer t0ken-t0ken")
            #expect(request.headers["x-key"] == "t0ken-t0ken")
            #expect(request.headers["cookie"]?.contains("session=c00kie") == true)
        }
        #expect(other.requests.count == 10)
        for request in other.requests {
            for name in ["authorization", "x-key", "referer", "cookie"] {
                #expect(request.headers[name] == nil, "\(name)")
            }
            #expect(request.target == "/end")
        }
        let report = try job.folder.text("report.json") + run.command.standardError
        for secret in ["t0ken", "c00kie", "passw0rd"] { #expect(!report.contains(secret)) }
    }
}
